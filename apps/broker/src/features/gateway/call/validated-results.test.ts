import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import {
  answeredWrongly,
  charged,
  connect,
  given,
  pairs,
  price,
  startPromisingServers,
  ways,
  type PromisingServers,
} from './testing/promising-servers.ts';

// Servers whose manifests say `validateResults`: each result is validated against the whole outputSchema of its tool.

/** A schema that refers to itself endlessly. */
const unusable = { type: 'object', $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
let app: TestApp;
let servers: PromisingServers;
let slow: HttpFixture;
beforeAll(async () => {
  [servers, slow] = await Promise.all([startPromisingServers({ unusable }), startHttpFixture()]);
  app = await startTestApp({ allowAddresses: [...servers.addresses, slow.address], env: withoutHealthChecks });
  await servers.deploy(app, { validateResults: true });
  const billing = { tier: 'T0', toolCosts: { mismatch: price } };
  const connection = { type: 'http', url: slow.url };
  await deployManifest(app, { id: 'slow', connection, billing, validateResults: true });
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([servers?.close(), slow?.close()]);
});

const warnings = (tool: string) =>
  app
    .logged()
    .split('\n')
    .filter((line) => line.includes('could not be compared') && line.includes(`"tool":"${tool}"`));

test.each(pairs)(
  'a result that violates the outputSchema is not forwarded and not charged: a $client client, a $server server, $way',
  async ({ client, server, way }) => {
    const ann = await connect(app, client, way);
    expect(await ann.call(server, 'of another member')).toMatchObject(answeredWrongly(server));
    expect(await ann.newest()).toEqual({ outcome: 'failed', reason: 'bad_result', credits: 0 });
    expect(await ann.call(server, 'not there')).toMatchObject(answeredWrongly(server));
    expect(await ann.balance()).toBe(given);
    // an error need not match
    for (const what of ['good', 'an error']) expect(await ann.call(server, what), what).toMatchObject(charged);
    expect(await ann.balance()).toBe(given - 2 * price);
  },
);

test.each(ways)('structured content of any type is validated: %s', async (way) => {
  const [ann, bob] = [await connect(app, 'modern', way), await connect(app, 'legacy', way)];
  for (const person of [ann, bob]) {
    expect(await person.call('some', 'a number')).toMatchObject(charged);
    expect(await person.call('any', 'a list')).toMatchObject(charged);
  }
});

test('a result whose schema is invalid is forwarded, and the operator is warned', async () => {
  const ann = await connect(app, 'modern', 'fast');
  for (const what of ['good', 'of another member']) {
    expect(await ann.call('unusable', what)).toMatchObject(charged);
  }
  expect(warnings('say')).toHaveLength(1);
  expect(warnings('say')[0]).toContain('Maximum call stack');
});

test('a schema that takes years to check delays only the results of its own server, for a second, once a minute', async () => {
  const ann = await connect(app, 'modern', 'fast');
  const years = { name: 'slow__mismatch', arguments: {} };
  const compared = ann.call('slow', '', years);
  const others = [1, 2, 3].map(() => ann.call('slow', '', years));
  const echo = ann.call('slow', '', { name: 'slow__echo', arguments: { text: 'x' } });
  const first = await Promise.race([compared.then(() => 'compared'), echo.then(() => 'echo')]);
  expect(first).toBe('echo');
  const mismatch = { ...charged, structuredContent: { text: `${'a'.repeat(40)}!` } };
  expect(await Promise.all([compared, ...others])).toMatchObject(Array.from({ length: 4 }, () => mismatch));
  expect(await ann.call('slow', '', years)).toMatchObject(charged);
  expect(warnings('mismatch')).toHaveLength(1);
  expect(warnings('mismatch')[0]).toContain('it takes more than 1000 ms');
  // the next validations use another worker
  expect(await ann.call('modern', 'of another member')).toMatchObject(answeredWrongly('modern'));
});
