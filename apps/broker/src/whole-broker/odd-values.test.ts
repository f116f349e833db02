import type { Endpoint } from '@souk/contract/endpoint.ts';
import { beforeAll, expect, test } from 'vitest';
import { z, type ZodType } from 'zod';
import type { Database } from '#platform/db/database.ts';
import { describeOnEmbedded, describeOnPostgres } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { migrations } from '../migrations.ts';

/**
 * Each is refused by a separate rule: not ISO 8601, a year or a zone that no database has, an impossible day, too long.
 */
const oddTimes = [
  'infinity',
  '0001-01-01T00:00:00+14:00',
  '2026-01-01T00:00:00+15:00',
  '2026-02-30T00:00:00Z',
  `2026-01-01T00:00:00.${'9'.repeat(300)}Z`,
];
const oddDays = ['2026-02-30', '10000-01-01'];
const goodTimes = ['0001-01-01T00:00:00Z', '2024-02-29T23:59:59.999999999+14:00', '9999-12-31T23:59:59.999Z'];
const anId = '019aa000-0000-7000-8000-000000000000';
const oddCursors = ['x', `infinity_${anId}`, `2026-02-30T00:00:00.000Z_${anId}`, '2026-02-30T00:00:00.000Z_1'];
/** Texts for every text and number in an address that is not a time. No response may be a server error. */
const oddTexts = ['\u{10FFFF}', '%_\\', '-1', '1.5', 'x'.repeat(300), '__proto__'];
/** Values that each driver passes as a parameter in its own way. */
const oddParameters = ['\0', '1e400', '7960607143101464577', '99999999999999999999', `{${anId}}`];

type Kind = 'time' | 'day' | 'cursor' | 'text';
type Field = { endpoint: Endpoint; part: 'params' | 'query' | 'body'; name: string; kind: Kind };

/** Bodies with times and cursors need a whole request, which depends on the endpoint: one for each of them. */
const bodies: Readonly<Record<string, (value: string) => unknown>> = {
  'createManifest announcedPrices.from': (from) => manifest({ tool: { credits: 1, from } }),
  'updateManifest announcedPrices.from': (from) => manifest({ tool: { credits: 1, from } }),
};
const manifest = (announcedPrices: unknown) => ({
  id: 'odd',
  name: 'Odd',
  serviceType: 'mcp',
  version: '1.0.0',
  description: 'Odd.',
  connection: { type: 'http', url: 'https://odd.example/mcp' },
  billing: { tier: 'T0', announcedPrices },
});

let app: TestApp;
let token = '';
let userId = '';

function starts(open: () => Promise<Database>): void {
  beforeAll(async () => {
    app = await startTestApp({ db: await open() });
    const browser = new ScriptedBrowser(app.publicUrl);
    token = (await browser.signInWeb({ email: 'admin@souk.test' })).accessToken;
    userId = (await app.db.query<{ id: string }>('select id from users')).rows[0]?.id ?? '';
    return async () => app.stop();
  });
}

const fields = () => app.router.served.flatMap(fieldsOf);

async function ask({ endpoint, part, name, kind }: Field, value: string) {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_all, param: string) => {
    if (part === 'params' && param === name) return encodeURIComponent(value);
    return param === 'userId' ? userId : hasUuid(endpoint, param) ? anId : 'odd';
  });
  const query = part === 'query' ? `?${new URLSearchParams({ [name]: value })}` : '';
  const body = part === 'body' ? bodies[`${endpoint.id} ${name}`]?.(value) : {};
  const answer = await fetch(app.publicUrl + path + query, {
    method: endpoint.method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(endpoint.body && { body: JSON.stringify(body) }),
  });
  await answer.text();
  return `${endpoint.id} ${kind} ${name}=${JSON.stringify(value).slice(0, 60)}: ${answer.status}`;
}

async function answers(kinds: readonly Kind[], values: (kind: Kind) => readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const field of fields().filter(({ kind }) => kinds.includes(kind))) {
    const list = values(field.kind);
    // a user is sent two files concurrently
    const atOnce = field.endpoint.mediaType ? 1 : 10;
    for (let at = 0; at < list.length; at += atOnce) {
      found.push(...(await Promise.all(list.slice(at, at + atOnce).map((value) => ask(field, value)))));
    }
  }
  return found;
}

/** Tests values that reach the database. */
function testParameters(texts: readonly string[]): void {
  test('a time that every database accepts is never an error', async () => {
    const good = await answers(['time', 'day'], (kind) => [...goodTimes, ...(kind === 'day' ? ['2024-02-29'] : [])]);
    expect(good.filter((line) => !/: (200|404)$/.test(line) && !line.includes('Manifest'))).toEqual([]);
  });

  test('an odd value anywhere else in an address is never a server error', async () => {
    const found = await answers(['text'], () => texts);
    expect(found.filter((line) => /: 5\d\d$/.test(line))).toEqual([]);
    expect(found.length).toBeGreaterThan(100 * texts.length);
  });
}

describeOnPostgres('external input', migrations, (open) => {
  starts(open);
  testParameters(oddParameters);
});

describeOnEmbedded('external input', migrations, (open) => {
  starts(open);
  testParameters([...oddTexts, ...oddParameters]);

  test('bad input 71: an odd time or cursor is 400 wherever the contract has one', async () => {
    const odd = (kind: Kind) =>
      kind === 'cursor' ? oddCursors : kind === 'day' ? [...oddTimes, ...oddDays] : oddTimes;
    const found = await answers(['time', 'day', 'cursor'], odd);
    expect(found.filter((line) => !line.endsWith(': 400'))).toEqual([]);
    // the walk has found them: calls, credit history and payments with their files, announced prices, the registry and
    // external ones, the audit log, and lists of a user's page
    expect(new Set(found.map((line) => line.split('=')[0])).size).toBe(31);
  });

  test.each(['7960607143101464577', '1e400'])('bad input 73: the number %s is refused by its name', async (number) => {
    const answer = await fetch(`${app.publicUrl}/api/users/${userId}/spend-cap`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: `{"monthlyCap":${number}}`,
    });
    expect([answer.status, JSON.parse(await answer.text())]).toMatchObject([
      400,
      { code: 'invalid_request', message: 'monthlyCap: must be a number with fewer digits' },
    ]);
  });
});

type Described = {
  format?: string | undefined;
  properties?: Record<string, unknown> | undefined;
  additionalProperties?: unknown;
  anyOf?: unknown[] | undefined;
  oneOf?: unknown[] | undefined;
};

/** Endpoint whose cursors come from another registry, and are forwarded unchanged. */
const ofOthers = 'browseRegistry';

function fieldsOf(endpoint: Endpoint): Field[] {
  return (['params', 'query', 'body'] as const).flatMap((part) =>
    // a part that the call does not have has no fields
    (endpoint[part] ? [...leavesOf(described(endpoint[part]))] : []).flatMap(([name, kindByName]): Field[] => {
      const kind = endpoint.id === ofOthers && kindByName === 'cursor' ? 'text' : kindByName;
      return kind === 'text' && part === 'body' ? [] : [{ endpoint, part, name, kind }];
    }),
  );
}

const hasUuid = ({ params }: Endpoint, name: string) => partOf(described(params).properties?.[name]).format === 'uuid';
const described = (schema: ZodType | undefined): Described =>
  schema ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) : {};
const partOf = (part: unknown): Described => (typeof part === 'object' && part !== null ? part : {});

/** Returns the fields without subfields, by their path without the names of records. */
function leavesOf(schema: Described, path: readonly string[] = []): Map<string, Kind> {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), schema.additionalProperties];
  const inner = [
    ...parts.filter((part) => typeof part === 'object').map((part) => leavesOf(partOf(part), path)),
    ...Object.entries(schema.properties ?? {}).map(([name, value]) => leavesOf(partOf(value), [...path, name])),
  ];
  if (inner.length === 0) return new Map([[path.slice(-2).join('.'), kindOf(schema, path.at(-1) ?? '')]]);
  const all = new Map<string, Kind>();
  // a day or a time: both are in one union
  for (const [name, kind] of inner.flatMap((leaves) => [...leaves]))
    all.set(name, all.get(name) === 'day' ? 'day' : kind);
  return all;
}

function kindOf({ format }: Described, name: string): Kind {
  if (/cursor/i.test(name)) return 'cursor';
  return format === 'date-time' ? 'time' : format === 'date' ? 'day' : 'text';
}
