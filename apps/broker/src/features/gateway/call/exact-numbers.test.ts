import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Era } from '#adapters/mcp/upstream.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { openSession, type SessionHeaders } from '#testing/people/open-session.ts';
import { openStream } from '#testing/people/open-stream.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startAnsweringServer, type AnsweringServer } from '../fast-path/testing/answering-server.ts';
import { asPerson } from '../tool-runs/testing/start-run.ts';
import { pairs, type ways } from './testing/promising-servers.ts';

// Numbers that no double can represent arrive with their original digits, on every path, in both directions.

const numbers = '9007199254740993,-12345678901234567890,1E400,0.12345678901234567891,3.00e-400';
const inside = `{"a":[${numbers}]}`;
const result = (members: string) => `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete",${members}}}`;
const structured = `"content":[],"structuredContent":${inside},"_meta":{"example.com/m":${inside}}`;
const link = '{"type":"resource_link","uri":"a:b","name":"a","size":12345678901234567890}';
const answers = {
  plain: { body: result(structured) },
  event: { type: 'text/event-stream', body: `event: message\ndata: ${result(structured)}\n\n` },
  link: { body: result(structured.replace('[]', `[${link}]`)) },
  null: { body: result(`${structured},"isError":null`) },
};

const eras: readonly Era[] = ['modern', 'legacy'];
let app: TestApp;
let token: string;
let session: SessionHeaders;
const servers = new Map<Era, AnsweringServer>();
beforeAll(async () => {
  for (const era of eras) servers.set(era, await startAnsweringServer(era, answers));
  const allowAddresses = [...servers.values()].map(({ address }) => address);
  app = await startTestApp({ allowAddresses, env: withoutHealthChecks });
  for (const [id, { url }] of servers) await deployManifest(app, { id, connection: { type: 'http', url } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  session = await openSession(`${app.publicUrl}/mcp`, token);
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([...servers.values()].map((server) => server.close()));
});

/** Returns the text of a response, and of the call that the server received. */
async function call(client: Era, server: Era, way: (typeof ways)[number], what: string, through = false) {
  const tool = `${server}__${way === 'sdk' ? 'mirrored' : 'say'}`;
  const type = way === 'fast' ? 'application/json' : 'application/json; charset=utf-8';
  const given = { what, n: 'NUMBERS' };
  const params = through
    ? { name: 'call_tool', arguments: { name: tool, arguments: given } }
    : { name: tool, arguments: given };
  const modern = modernRequest(token, 'tools/call', params);
  const sent =
    client === 'modern' ? modern.body : JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
  const headers = { ...(client === 'modern' ? modern.headers : session), 'content-type': type };
  servers.get(server)?.takeCalls();
  const { text } = await postRaw(`${app.publicUrl}/mcp`, sent.replace('"NUMBERS"', inside), headers);
  return {
    answer: text,
    seen:
      servers
        .get(server)
        ?.takeCalls()
        .map((seen) => seen.text)
        .join() ?? '',
  };
}

test.each(pairs)('a $client client of a $server server, $way', async ({ client, server, way }) => {
  for (const what of Object.keys(answers)) {
    const { answer, seen } = await call(client, server, way, what);
    expect(answer, what).toContain(`"structuredContent":${inside}`);
    expect(answer, what).toContain(`"example.com/m":${inside}`);
    expect(seen, what).toContain(`"n":${inside}`);
    // the size of a link is approximate
    expect(answer.includes('"size":12345678901234567000'), what).toBe(what === 'link');
  }
  const { answer, seen } = await call(client, server, way, 'plain', true);
  expect(answer).toContain(`"structuredContent":${inside}`);
  expect(seen).toContain(`"n":${inside}`);
});

test('a tool that is run from the web app', async () => {
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'web@souk.test' });
  const { body, ...sent } = asPerson({ token: accessToken }, 'POST', {
    serverId: 'modern',
    tool: 'say',
    arguments: { what: 'plain', n: 'NUMBERS' },
  });
  const withNumbers = String(body).replace('"NUMBERS"', inside);
  servers.get('modern')?.takeCalls();
  const stream = await openStream(`${app.publicUrl}/api/tool-runs`, { ...sent, body: withNumbers });
  await waitUntil('its result', () => stream.text().includes('"result"') || stream.isOver());
  expect(stream.text()).toContain(`"structuredContent":${inside}`);
  expect(servers.get('modern')?.takeCalls()[0]?.text).toContain(`"n":${inside}`);
});
