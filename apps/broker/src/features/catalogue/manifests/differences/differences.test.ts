import { expect, test } from 'vitest';
import { limitProcessor } from '#testing/figures/limits.ts';
import { manifest } from '../../testing/weather-server.ts';
import { describeEffects } from './describe-effects.ts';
import { differencesOf } from './read-differences.ts';

const wordsOf = (before: object, after: object) =>
  differencesOf(manifest('travel', before), manifest('travel', after)).map(({ text }) => text);
const effectsOf = (
  before: object,
  after: object,
  people = { renters: 0, users: 0, asked: 0, toolsUnderReview: 0, toolsKeptHidden: 0 },
) => describeEffects(manifest('travel', before), manifest('travel', after), people);
const http = (url: string) => ({ type: 'http', url });

test('two versions differ in words: prices, policies, lists, items by their name', () => {
  const before = {
    version: '1.0.0',
    features: ['Fast', 'Cheap'],
    billing: { tier: 'T1', rental: { price: 500 }, toolCosts: { plan_round_trip: 3, old: 1 } },
  };
  const after = {
    version: '1.1.0',
    features: ['Fast', 'Good'],
    toolChanges: 'strict',
    maxInFlight: 8,
    deadlines: { callMs: 30_000 },
    billing: { tier: 'T2', rental: { price: 750 }, toolCosts: { plan_round_trip: 5, new: 1 }, chargeOnErrors: true },
  };
  expect(wordsOf(before, after)).toEqual(
    expect.arrayContaining([
      'version: 1.0.0 -> 1.1.0',
      'price of `plan_round_trip`: 3 -> 5 credits a call',
      'price of `old`: removed (was 1 credit a call)',
      'price of `new`: 1 credit a call',
      'tier: T1 (Basic) -> T2 (Professional)',
      'rental price: $5/month -> $7.50/month',
      'tool policy: strict',
      'concurrent calls: 64 -> 8',
      'time limit of a call: 60 s -> 30 s',
      'features: added "Good", removed "Cheap"',
      'calls that answer with an error are charged: no -> yes',
    ]),
  );
  expect(wordsOf(before, after)).toHaveLength(11);
  expect(wordsOf(after, after)).toEqual([]);
  expect(wordsOf({}, { validateResults: true })).toEqual([
    'results are compared with the outputSchema of their tool: yes',
  ]);
  expect(wordsOf({ features: ['a', 'b'] }, { features: ['b', 'a'] })).toEqual(['features: in another order']);
});

test('headers and tools of a snapshot are compared by name, and a moved one does not count as changed', () => {
  const tool = (name: string, description = 'x') => ({ name, description, inputSchema: { type: 'object' } });
  const auth = (...headers: object[]) => ({ type: 'headers', headers });
  const before = {
    auth: auth({ name: 'X-Key', from: 'operator' }),
    capabilitySnapshot: { tools: [tool('a'), tool('b'), tool('c')] },
  };
  const after = {
    auth: auth({ name: 'X-Key', from: 'user' }, { name: 'X-Team', from: 'operator' }),
    capabilitySnapshot: { tools: [tool('b', 'Look up <b>'), tool('a')] },
  };
  const said = differencesOf(manifest('travel', before), manifest('travel', after));
  expect(said.map(({ path, text }) => `${path} | ${text}`)).toEqual([
    'auth.headers.X-Key.from | header X-Key, from: "operator" -> "user"',
    'auth.headers.X-Team | header X-Team: {"name":"X-Team","from":"operator"}',
    'capabilitySnapshot.tools.b.description | tool `b` of the snapshot, description: "x" -> "Look up <b>"',
    expect.stringContaining('capabilitySnapshot.tools.c | tool `c` of the snapshot: removed (was {"name":"c"'),
    expect.stringContaining('capabilitySnapshot.tools | capabilitySnapshot.tools: in another order'),
  ]);
  expect(said.find(({ path }) => path.endsWith('b.description'))).toMatchObject({ before: 'x', after: 'Look up <b>' });
});

test('the effects of a deployment are listed with their numbers, and effects that no user notices are not listed', () => {
  const people = { renters: 12, users: 40, asked: 7, toolsUnderReview: 0, toolsKeptHidden: 0 };
  const billing = (change: object) => ({ billing: { tier: 'T1', rental: { price: 500 }, ...change } });
  expect(effectsOf(billing({}), billing({ rental: { price: 700 } }), people)).toEqual([
    'New rentals cost $7/month instead of $5/month. 12 people rent it and keep the current price, renewals included, until the rental ends.',
  ]);
  expect(effectsOf(billing({}), billing({ rental: undefined }), people)).toEqual([
    'It can no longer be rented. 12 people rent it: rentals that renew keep their price until they are canceled.',
  ]);
  expect(effectsOf(billing({}), billing({ tier: 'T2' }), people)).toEqual([
    'People with a plan of tier T2 (Professional) or above may use it. People with a plan of tier T1 (Basic) lose it immediately, unless they rent it, bought it or have a trial: 40 people called it in the last 30 days, 12 people rent it.',
  ]);
  expect(effectsOf(billing({}), billing({ toolCosts: { a: 1 }, chargeOnErrors: true }), people)).toEqual([
    'Calls that begin after the deployment cost the new prices of 1 tool (1 higher, 0 lower); calls in progress keep the old ones. 40 people called it in the last 30 days; 7 of them agreed to a lower price and are asked before their next call.',
    'Calls that the server answers with an error are charged from then on.',
  ]);
  expect(effectsOf(billing({ toolCosts: { a: 2 } }), billing({ toolCosts: { a: 1 } }), people)).toEqual([
    'Calls that begin after the deployment cost the new prices of 1 tool (0 higher, 1 lower); calls in progress keep the old ones. 40 people called it in the last 30 days.',
  ]);
  const rise = (users: number, asked: number) =>
    effectsOf(billing({ toolCosts: { a: 1 } }), billing({ toolCosts: { a: 2 } }), { ...people, users, asked })[0];
  expect(rise(40, 40)).toMatch(/days; all 40 agreed to a lower price and are asked before their next call\.$/);
  expect(rise(40, 1)).toMatch(/days; 1 of them agreed to a lower price and is asked before their next call\.$/);
  expect(rise(1, 1)).toMatch(
    /1 person called it in the last 30 days; they agreed to a lower price and are asked before their next/,
  );
  expect(rise(40, 0)).toMatch(/days; no one has to confirm the higher price\.$/);
  expect(rise(0, 0)).toMatch(/old ones\. 0 people called it in the last 30 days\.$/);
  const coming = billing({ announcedPrices: { a: { credits: 5, from: '2099-01-01T00:00:00Z' } } });
  expect(effectsOf(billing({}), coming, people)).toEqual([
    'The announced prices of 1 tool begin on their dates. People are notified until then, and asked from then on if a price is higher.',
  ]);
  expect(effectsOf(coming, billing({}), people)).toEqual([
    'Prices that were announced for a later date are withdrawn.',
  ]);
  const [free, priced] = [{ billing: undefined }, billing({ tier: 'T0', rental: undefined, toolCosts: { a: 1 } })];
  for (const texts of [effectsOf(free, priced, people), effectsOf(priced, free, people)])
    expect(texts.join(' '), 'errors are free in both').not.toContain('with an error');
  const validating = { validateResults: true };
  expect(effectsOf({}, validating, people)).toEqual([
    'A result that does not fit the outputSchema of its tool is refused, and not charged, from then on.',
  ]);
  expect(effectsOf(validating, { validateResults: false }, people)).toEqual([
    'Results are no longer compared with the outputSchema of their tool.',
  ]);
  expect(effectsOf({}, { validateResults: false }, people)).toEqual([]);
  const oauth = { auth: { type: 'oauth' } };
  const moved = { connection: http('https://other.example') };
  expect(effectsOf(oauth, { ...oauth, ...moved }, { ...people, users: 1 })).toEqual([
    'New connections are opened: calls in progress finish on the old ones.',
    'Everyone who uses it must sign in again before their next call: 1 person called it in the last 30 days.',
    'People sign in where the server says. If that is on another site, no one is sent there until you confirm it on its page.',
    'Confirmations for the previous address do not apply to this one.',
  ]);
  const named = { auth: { ...oauth.auth, issuer: 'https://id.example', endpointOrigins: ['https://login.example'] } };
  expect(effectsOf(oauth, named, people)).toEqual([
    'People sign in at https://id.example, which the manifest names, with endpoints at https://login.example too.',
  ]);
  expect(effectsOf(named, named, people)).toEqual([]);
  expect(wordsOf(oauth, named)).toEqual([
    'authorization server: https://id.example',
    'other origins of the authorization server: added "https://login.example"',
  ]);
  expect(effectsOf({}, moved, people)).toEqual([
    'New connections are opened: calls in progress finish on the old ones.',
  ]);
  expect(effectsOf({}, { version: '2.0.0' }, { ...people, toolsUnderReview: 2, toolsKeptHidden: 1 })).toEqual([
    '2 tools are under review: a new version trusts all tools as the server offers them then, including these.',
    '1 tool is kept hidden: a new version trusts all tools as the server offers them then, including these.',
  ]);
  const texts = { name: 'Other', description: 'Other.', icon: '/x.png', category: 'api', features: ['x'], author: 'x' };
  expect(effectsOf({}, texts, people)).toEqual([]);
  const first = describeEffects(undefined, manifest('travel', billing({})), people);
  expect(first[0]).toBe('It appears in the shop. People with a plan of tier T1 (Basic) or above may use it.');
});

test('two manifests of 256 KiB are compared within 50 ms, with at most 500 differences', async () => {
  const costs = (credits: number) =>
    Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`tool_${index}_${'x'.repeat(10)}`, credits]));
  const prices = (credits: number) => manifest('travel', { billing: { tier: 'T0', toolCosts: costs(credits) } });
  const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1), b: [nested(depth - 1)] });
  const tools = (suffix: string) =>
    manifest('travel', {
      capabilitySnapshot: {
        tools: Array.from({ length: 500 }, (_, index) => ({
          name: `t${index}`,
          inputSchema: { type: 'object', properties: { [suffix]: nested(4) } },
        })),
      },
    });
  for (const [what, before, after] of [
    ['prices', prices(1), prices(2)],
    ['tools', tools('x'), tools('y')],
  ] as const) {
    await limitProcessor(50, () => differencesOf(before, after), { what });
    const said = differencesOf(before, after);
    expect(said).toHaveLength(500);
    expect(said.at(-1)?.text).toMatch(/^\d+ more differences: see the documents$/);
  }
});

test('announced prices differ by their credits and their date', () => {
  const announced = (announcedPrices?: object) => ({
    billing: { tier: 'T0', ...(announcedPrices && { announcedPrices }) },
  });
  const [soon, late] = ['2099-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];
  const before = announced({ a: { credits: 1, from: soon }, b: { credits: 2, from: soon } });
  expect(wordsOf(announced(), before)).toEqual([
    `announced price of \`a\`: 1 credit a call from ${soon}`,
    `announced price of \`b\`: 2 credits a call from ${soon}`,
  ]);
  expect(wordsOf(before, announced({ a: { credits: 3, from: soon }, b: { credits: 2, from: late } }))).toEqual([
    'announced price of `a`: 1 -> 3 credits a call',
    `date of the announced price of \`b\`: ${soon} -> ${late}`,
  ]);
  expect(wordsOf(before, announced())).toEqual([
    `announced price of \`a\`: removed (was 1 credit a call from ${soon})`,
    `announced price of \`b\`: removed (was 2 credits a call from ${soon})`,
  ]);
});
