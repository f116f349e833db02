import { Server } from '@modelcontextprotocol/server';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { openSession } from '#testing/people/open-session.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { createSessionEvents, type SessionEvents } from './event-store.ts';
import { SessionTransport } from './session-transport.ts';

test('a session that is ended for idleness waits for a response that is being written', async () => {
  const stored = createSessionEvents({ now: () => 0 }, () => {});
  const written = Promise.withResolvers<void>();
  const events: SessionEvents = {
    ...stored,
    async storeEvent(stream, message) {
      if ('result' in message && message.id === 12) await written.promise;
      return stored.storeEvent(stream, message);
    },
  };
  const transport = new SessionTransport(events, { sessionIdGenerator: () => 's' });
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
  const ends: (() => void)[] = [];
  server.setRequestHandler('tools/call', async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return { content: [{ type: 'text', text: 'done' }] };
  });
  await server.connect(transport);
  const http = createServer(async (request, response) => {
    await transport.serve(request, response, await json(request), '2025-11-25');
  });
  const { port, close } = await listenLocally(http);
  try {
    const link = `http://127.0.0.1:${port}/mcp`;
    const session = await openSession(link, 'none', { revision: '2025-11-25' });
    const call = (id: number) =>
      postRaw(link, JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait' } }), session);
    const [first, second] = [call(11), call(12)];
    await waitUntil('both calls to run', () => ends.length === 2);
    let hasEnded = false;
    transport.closeWhenIdle(() => {
      hasEnded = true;
      void server.close();
    });
    for (const end of ends) end();
    expect((await first).text).toContain('"text":"done"');
    expect(hasEnded).toBe(false);
    written.resolve();
    expect((await second).text).toContain('"text":"done"');
    await waitUntil('the session to end', () => hasEnded);
  } finally {
    await server.close();
    await close();
  }
});
