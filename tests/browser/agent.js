// An agent at work: conversations with tool results as real ones have them.

const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

const OUTPUTS = [
  ['list_issues', { state: 'open' }, JSON.stringify(Array.from({ length: 30 }, (_, n) =>
    ({ number: 100 + n, title: `Stream stops after ${n} events`, state: n % 4 ? 'open' : 'closed', author: ['mira', 'lee'][n % 2], labels: n % 3 })), null, 2)],
  ['Bash', { command: 'cargo test' }, [
    '     Running unittests src/lib.rs (target/debug/deps/suite-0a1b2c3d)', '', 'running 201 tests',
    ...Array.from({ length: 200 }, (_, n) => `test suite::case_number_${n} ... ok`),
    'test suite::broken ... FAILED', '', 'failures:', '', '---- suite::broken stdout ----',
    "thread 'suite::broken' panicked at src/lib.rs:7:5:", 'assertion failed: left == right', '', '',
    'failures:', '    suite::broken', '', 'test result: FAILED. 200 passed; 1 failed; 0 ignored', ''].join('\n')],
  ['Bash', { command: 'cat server.log' }, Array.from({ length: 60 }, (_, n) =>
    `2026-03-01T10:00:${String(n).padStart(2, '0')}Z INFO worker-${n % 3} handled request ${4000 + n} in ${10 + (n % 7)} ms`).join('\n')],
  ['Bash', { command: 'env' }, `PATH=/usr/bin\nHOME=/root\nGITHUB_TOKEN=${SECRET}\nLANG=C.UTF-8\n${'EDITOR=vi\n'.repeat(12)}`],
  ['Bash', { command: 'true' }, 'done'],
];

// Sends as many turns as there are outputs; each sends the whole history again, as agents do.
export async function work(gateway, { project, session, turns = OUTPUTS.length } = {}) {
  const messages = [{ role: 'user', content: 'Go on.' }];
  for (const [index, [name, input, output]] of OUTPUTS.slice(0, turns).entries()) {
    const id = `toolu_${index}`;
    messages.push({ role: 'assistant', content: [{ type: 'tool_use', id, name, input }] });
    messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output }] });
    const tools = ['Bash', 'list_issues'].map((tool) => ({ name: tool, description: 'Does it.', input_schema: { type: 'object' } }));
    const response = await fetch(`${gateway}${project ? `/p/${project}` : ''}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': 'test', 'user-agent': 'test-agent/1', ...(session && { 'x-claude-code-session-id': session }) },
      body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 500, tools, messages }),
    });
    if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}
