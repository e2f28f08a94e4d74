// The overview with a month of work, as a picture.

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { work } from './agent.js';
import { month } from './month.js';
import { begin } from './world.js';

const [path] = process.argv.slice(2);
await mkdir(dirname(path), { recursive: true });
const world = await begin({}, await month());
await work(world.address, { project: 'webshop', session: 'now' });
const page = await world.open('overview', { zone: 'UTC', device: 'picture' });
await page.getByText('Latest results').waitFor();
await page.locator('.latest').nth(1).getByRole('link').first().waitFor();
await page.screenshot({ path });
await world.end();
