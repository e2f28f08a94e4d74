// A line to the gateway that can be cut.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export async function line(url) {
  const { port, hostname, pathname } = new URL(url);
  const sockets = new Set();
  const server = createServer((client) => {
    const gateway = connect(Number(port), hostname);
    sockets.add(client);
    client.pipe(gateway).pipe(client);
    for (const [one, other] of [[client, gateway], [gateway, client]]) {
      one.on('error', () => {}).on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => sockets.forEach((socket) => socket.destroy());
  const close = () => (cut(), server.close());
  return { url: `http://127.0.0.1:${server.address().port}${pathname}`, cut, close };
}
