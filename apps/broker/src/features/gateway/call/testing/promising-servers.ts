import { randomUUID } from 'node:crypto';
import type { Era } from '#adapters/mcp/upstream.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { openSession } from '#testing/people/open-session.ts';
import type { TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { startAnsweringServer, type Scripted } from '../../fast-path/testing/answering-server.ts';

// Servers whose tools promise structured content (outputSchema), and a user with credits who calls them.

export const price = 5;
export const given = 1000;

const result = (members: string) =>
  `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","content":[]${members}}}`;
const json = (members: string): Scripted => ({ body: result(members) });
const inEvent = (text: string): Scripted => ({ type: 'text/event-stream', body: `event: message\ndata: ${text}\n\n` });
const event = (members: string) => inEvent(result(members));
const withError = `${result('').slice(0, -1)},"error":{"code":-32050,"message":"not today"}}`;

/** Answers, by what a call asks for. */
const answers: Record<string, Scripted> = {
  good: json(',"structuredContent":{"a":1}'),
  'of another member': json(',"structuredContent":{"b":1}'),
  'not there': json(''),
  'not there, in an event': event(''),
  'not there, beside annotations': {
    body: result('').replace('[]', '[{"type":"text","text":"a","annotations":{"priority":0.5}}]'),
  },
  'of isError false': json(',"isError":false'),
  'a list': json(',"structuredContent":[1]'),
  null: json(',"structuredContent":null'),
  'a number': json(',"structuredContent":1'),
  'a fraction': json(',"structuredContent":1.5'),
  'a text': json(',"structuredContent":"a"'),
  'an error': json(',"isError":true'),
  'a result and an error': { body: withError },
  'a result and an error, in an event': inEvent(withError),
  'a question': { body: '{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","requestState":"s"}}' },
  'a question, answered': json(''),
};

const ofObject = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
/** Schemas, by the id of the server. Since 2026-07-28 an outputSchema may be of any type. */
const schemas: Record<string, object | undefined> = {
  /** A tool that promises nothing. */
  plain: undefined,
  modern: ofObject,
  legacy: ofObject,
  some: { type: ['integer', 'null'] },
  any: {},
};

/** @param more outputSchemas, by the id of their server */
export async function startPromisingServers(more: Record<string, object> = {}) {
  const starting = Object.entries({ ...schemas, ...more }).map(async ([id, schema]) => {
    const server = await startAnsweringServer(id === 'legacy' ? 'legacy' : 'modern', answers, schema);
    return [id, server] as const;
  });
  const servers = new Map(await Promise.all(starting));
  return {
    addresses: [...servers.values()].map(({ address }) => address),
    /**
     * Deploys the servers; their tools cost credits, also if they answer with an error. @param over fields of their
     * manifests
     */
    async deploy(app: TestApp, over: Record<string, unknown> = {}): Promise<void> {
      const billing = { tier: 'T0', toolCosts: { say: price, mirrored: price }, chargeOnErrors: true };
      for (const [id, { url }] of servers) {
        await deployManifest(app, { id, connection: { type: 'http', url }, billing, ...over });
      }
    },
    close: () => Promise.all([...servers.values()].map((server) => server.close())),
  };
}
export type PromisingServers = Awaited<ReturnType<typeof startPromisingServers>>;

/** `fast`: the fast path on both sides. `mixed`: the SDK on the client's side. `sdk`: the SDK on both sides. */
export const ways = ['fast', 'mixed', 'sdk'] as const;

const eras: readonly Era[] = ['modern', 'legacy'];
/** The fast path between both eras; each other path with each client and with each server. */
export const pairs = eras.flatMap((client) =>
  eras.flatMap((server) =>
    ways
      .filter((way) => way === 'fast' || (client === server) === (way === 'sdk'))
      .map((way) => ({ client, server, way })),
  ),
);

/** Creates a user with a client of one era. */
export async function connect(app: TestApp, client: Era, way: (typeof ways)[number]) {
  const email = `${randomUUID()}@souk.test`;
  const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
  const userId = await giveCredits(app, email, given);
  const url = `${app.publicUrl}/mcp`;
  const session = client === 'legacy' ? await openSession(url, token) : undefined;
  const type = way === 'fast' ? 'application/json' : 'application/json; charset=utf-8';
  return {
    async call(server: string, what: string, over: Record<string, unknown> = {}) {
      const params = { name: `${server}__${way === 'sdk' ? 'mirrored' : 'say'}`, arguments: { what }, ...over };
      const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params };
      const answer = session
        ? await postRaw(url, JSON.stringify(message), { ...session, 'content-type': type })
        : await postModern(url, token, 'tools/call', params, { 'content-type': type });
      return answer.body.result;
    },
    /** Returns what the log of calls says about the newest call. */
    async newest() {
      const { outcome, reason, credits } = (await usageRows(app, userId)).at(-1) ?? {};
      return { outcome, reason, credits };
    },
    async balance() {
      await app.billing.ledger.flush();
      return (await app.billing.ledger.account(userId)).available;
    },
  };
}

export const answeredWrongly = (server: string) => ({
  isError: true,
  content: [
    {
      type: 'text',
      text: `${server} answered, but its result is not what this tool declares. Nothing was charged. Check whether the call took effect before you try again.`,
    },
  ],
  _meta: { 'souk/code': 'bad_result' },
});
export const charged = { _meta: { 'souk/charged': price } };
