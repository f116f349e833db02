import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { openSession } from '#testing/people/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { clearUsageRows, usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';

// A call of a session continues when its client's stream breaks, since the client may resume it. Until then its
// progress reaches no client.

const everyMs = 200;
const silenceMs = 5_000;
let app: TestApp;
let server: HttpFixture;
let token: string;

beforeAll(async () => {
  server = await startHttpFixture('legacy');
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
  await deployManifest(app, {
    id: 'slow',
    connection: { type: 'http', url: server.url },
    deadlines: { connectMs: 30_000, callMs: silenceMs },
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});
beforeEach(() => clearUsageRows(app));

async function beginCall(steps: number) {
  const hangUp = new AbortController();
  const session = { ...(await openSession(`${app.publicUrl}/mcp`, token)), 'mcp-protocol-version': '2025-11-25' };
  const params = { name: 'slow__slow', arguments: { steps, everyMs }, _meta: { progressToken: 'p' } };
  const answer = await fetch(`${app.publicUrl}/mcp`, {
    method: 'POST',
    headers: { ...session, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    signal: hangUp.signal,
  });
  return { session, hangUp, events: readEvents(answer) };
}

/** Yields the events of a stream as they arrive. */
async function* readEvents({ body }: Response): AsyncGenerator<string, void> {
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    yield* events;
  }
}

const isProgress = (event: string) => event.includes('notifications/progress');

/** Returns the events of a session since an event, as a client receives them that resumes the stream. */
async function since(event: string, session: Record<string, string>): Promise<string[]> {
  const id = /^id: (.+)$/m.exec(event)?.[1] ?? '';
  const headers = { ...session, accept: 'text/event-stream', 'last-event-id': id };
  const heard: string[] = [];
  for await (const one of readEvents(await fetch(`${app.publicUrl}/mcp`, { headers }))) heard.push(one);
  return heard;
}

async function firstProgress(events: AsyncGenerator<string, void>): Promise<string> {
  for await (const event of { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) }) {
    if (isProgress(event)) return event;
  }
  throw new Error('no progress');
}

test('security row 43: progress that reaches no client does not keep the call of a session alive', async () => {
  const { session, events, hangUp } = await beginCall(100_000);
  const first = await firstProgress(events);
  hangUp.abort();
  await waitUntil('the call ended', async () => (await usageRows(app)).length === 1);
  expect((await usageRows(app))[0]).toMatchObject({ outcome: 'failed', reason: 'timeout' });
  // and none was stored for the client: at most what was in flight when it left
  const missed = await since(first, session);
  expect(missed.at(-1)).toContain('"result"');
  expect(missed.filter(isProgress).length).toBeLessThan(10);
});

test('a client that resumes its stream receives progress again, which keeps the call alive', async () => {
  const steps = Math.ceil((silenceMs * 1.5) / everyMs);
  const { session, events, hangUp } = await beginCall(steps);
  const first = await firstProgress(events);
  hangUp.abort();
  const heard = await since(first, session);
  expect(heard.filter(isProgress).length).toBeGreaterThan(10);
  expect(heard.at(-1)).toContain('"done"');
  expect(await usageRows(app)).toMatchObject([{ outcome: 'ok' }]);
});
