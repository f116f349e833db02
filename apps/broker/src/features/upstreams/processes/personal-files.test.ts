import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase, temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { migrations } from '../../../migrations.ts';
import { signInPerson, type TestPerson } from '../sign-in/testing/person.ts';

/** The real bundled programs that keep files, across a restart of the product. */
const programs = ['filesystem', 'memory'];
let dataDir: string;
let db: Database;
let app: TestApp;
const masterKey = randomBytes(32).toString('base64url');
const start = () =>
  startTestApp({
    db: { ...db, close: () => Promise.resolve() }, // outlives the app
    env: { DATA_DIR: dataDir, MASTER_KEY: masterKey },
  });

beforeAll(async () => {
  dataDir = await mkdtemp(join(temporaryRoot(), 'files-'));
  db = await openTestDatabase(migrations);
  app = await start();
  for (const id of programs) {
    const connection = { type: 'stdio', command: id };
    await deployManifest(app, { id, slug: id, isolation: 'perUser', connection });
  }
});
afterAll(async () => {
  await app?.stop();
  await db?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const emails = { ann: 'ann@souk.test', bob: 'bob@souk.test' };

async function remember(email: string, what: string): Promise<string> {
  const { token } = await app.identity.createPersonalToken({ email, name: 'files' });
  const client = await connectModern(`${app.publicUrl}/mcp`, token);
  const entities = what === '' ? [] : [{ name: what, entityType: 'thing', observations: ['kept'] }];
  await client.callTool({ name: 'memory__create_entities', arguments: { entities } });
  await client.callTool({ name: 'filesystem__list_allowed_directories', arguments: {} });
  const graph = JSON.stringify(await client.callTool({ name: 'memory__read_graph', arguments: {} }));
  await client.close();
  return graph;
}

/** Returns every word in the arguments, environment or folder of a server's processes. */
function told(serverId: string): Set<string> {
  const words = new Set<string>();
  for (const pid of app.upstreams.pool.stdioPids(serverId).flatMap(withChildren)) {
    const of = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    const everything = [of('cmdline'), of('environ'), readlinkSync(`/proc/${pid}/cwd`)].join('\0');
    for (const word of everything.split(/[\0/=]/)) words.add(word);
  }
  return words;
}

function withChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number).flatMap(withChildren))];
}

async function exported(person: TestPerson): Promise<unknown[]> {
  const { body } = await person.call('GET', `/api/users/${person.userId}/export`);
  return z.object({ data: z.object({ files: z.array(z.unknown()) }) }).parse(body).data.files;
}
const foldersOf = (serverId: string) =>
  readdirSync(join(dataDir, 'files', serverId)).filter((name) => name !== 'nobody');

describe('the files of two users, until one deletes their account', { shuffle: false }, () => {
  test('a program learns neither the id of its user nor anything that another program learns too', async () => {
    await remember(emails.ann, 'first');
    const ofAnn = programs.map(told);
    await remember(emails.bob, 'of bob');
    const { rows } = await db.query<{ id: string }>('select id from users');
    expect(rows).toHaveLength(2);
    const all = programs.map(told);
    for (const words of all) for (const { id } of rows) expect([...words].join(' ')).not.toContain(id);
    // information about one user that a program gets about no other
    const known = all.map((words, index) => {
      const others = new Set([...(ofAnn[index] ?? [])].filter((word) => !words.has(word)));
      expect(others.size).toBe(0);
      return [...words].filter((word) => !ofAnn[index]?.has(word));
    });
    for (const words of known) expect(words.length).toBeGreaterThan(0);
    expect(known[0]?.filter((word) => known[1]?.includes(word))).toEqual([]);
  });

  test('files survive a restart and the end of their server, and an export lists them', async () => {
    const ann = await signInPerson(app.publicUrl, emails.ann);
    await deployManifest(app, {
      id: 'gone',
      slug: 'gone',
      isolation: 'perUser',
      connection: { type: 'stdio', command: 'memory' },
    });
    const { token } = await app.identity.createPersonalToken({ email: emails.ann, name: 'gone' });
    const client = await connectModern(`${app.publicUrl}/mcp`, token);
    const entities = [{ name: 'old', entityType: 'thing', observations: ['kept'] }];
    expect((await client.callTool({ name: 'gone__create_entities', arguments: { entities } })).isError).toBeFalsy();
    await client.close();
    await app.catalogue.undeploy('gone', { via: 'command' });
    await app.stop();
    app = await start();
    expect(await remember(emails.ann, '')).toContain('first');
    const again = await signInPerson(app.publicUrl, emails.ann);
    expect(again.userId).toBe(ann.userId);
    const files = await exported(again);
    expect(files).toHaveLength(2);
    for (const serverId of ['gone', 'memory'])
      expect(files).toContainEqual({ path: `${serverId}/memory.jsonl`, bytes: expect.any(Number) });
  });

  test("deleting an account deletes the user's files at every server, and no other user's", async () => {
    const ann = await signInPerson(app.publicUrl, emails.ann);
    expect(app.upstreams.pool.stdioPids('memory')).toHaveLength(1);
    const deleted = await ann.call('DELETE', `/api/users/${ann.userId}/account`, { confirm: emails.ann });
    expect(deleted.status).toBe(200);
    for (const serverId of programs) expect(app.upstreams.pool.stdioPids(serverId)).toEqual([]);
    expect(foldersOf('gone')).toEqual([]);
    expect(foldersOf('memory')).toHaveLength(1);
    expect(await remember(emails.bob, '')).toContain('of bob');
  });
});
