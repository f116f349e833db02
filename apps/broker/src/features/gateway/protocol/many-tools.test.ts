import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { limitProcessor } from '#testing/figures/limits.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { openSession } from '#testing/people/open-session.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

const toolCount = 500;
let app: TestApp;
let fixtures: HttpFixture[];
let token: string;

/** Typical tools: some hundred characters of text, and arguments of several kinds. */
const tools = Array.from({ length: toolCount }, (_, index) => ({
  name: `find_${String(index).padStart(3, '0')}`,
  title: `Find things of kind ${index}`,
  description: `Finds things of kind ${index} by their words, their age and their owner. `.repeat(3),
  inputSchema: {
    type: 'object' as const,
    properties: {
      words: { type: 'string', description: 'What to look for.' },
      sinceDays: { type: 'integer', minimum: 0, description: 'No older than so many days.' },
      owners: { type: 'array', items: { type: 'string' }, description: 'Whose things.' },
    },
    required: ['words'],
  },
  annotations: { readOnlyHint: true },
}));

beforeAll(async () => {
  fixtures = await Promise.all([startHttpFixture('both'), startHttpFixture('both')]);
  app = await startTestApp({ allowAddresses: fixtures.map(({ address }) => address) });
  for (const fixture of fixtures) fixture.setTools(tools);
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  await deployNumber(0);
});
afterAll(async () => {
  await app?.stop();
  for (const fixture of fixtures ?? []) await fixture.close();
});

const link = () => `${app.publicUrl}/mcp`;
const deployNumber = (index: number) =>
  deployManifest(app, {
    id: `many-${index}`,
    slug: `many${index}`,
    connection: { type: 'http', url: fixtures[index]?.url },
  });

const namesOf = (result: Record<string, unknown> | undefined): string[] =>
  Array.isArray(result?.['tools']) ? result['tools'].map((tool: unknown) => String(Object(tool).name)) : [];

test('a list of 500 tools takes at most 50 ms, in both eras', async () => {
  const session = await openSession(link(), token);
  let id = 1;
  const legacy = () => postRaw(link(), JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/list' }), session);
  const modern = () => postModern(link(), token, 'tools/list');
  for (const list of [modern, legacy]) {
    const { result } = (await list()).body;
    expect(namesOf(result).filter((name) => name.startsWith('many0__'))).toHaveLength(toolCount);
    // this thread is both client and broker
    await limitProcessor(50, list, { what: list.name });
  }
});

test('more than one page is read by cursor: each item once, in a stable order', async () => {
  await deployNumber(1);
  const readAll = async () => {
    const names: string[] = [];
    let cursor: unknown;
    let pages = 0;
    do {
      const { result } = (await postModern(link(), token, 'tools/list', cursor === undefined ? {} : { cursor })).body;
      names.push(...namesOf(result));
      cursor = result?.['nextCursor'];
      pages++;
    } while (cursor !== undefined && pages < 10);
    return { names, pages };
  };
  const first = await readAll();
  expect(first.pages).toBe(2);
  expect(new Set(first.names).size).toBe(first.names.length);
  expect(first.names.filter((name) => /^many[01]__/.test(name))).toHaveLength(2 * toolCount);
  expect(await readAll()).toEqual(first);
});
