import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSecrets } from '#platform/crypto/check-secrets.ts';
import { readRotation } from '#platform/crypto/master-key-state.ts';
import { createVault, masterKeyIdOf } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer } from '#platform/operator/operator-server.ts';
import { databaseCommands } from '#operator/commands/database-commands.ts';
import { connectPatiently, createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { fillSecrets, type FilledSecrets } from '#testing/databases/fill-secrets.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { version } from '../../../version.ts';
import { killSouk } from '../testing/kill-souk.ts';
import { runSouk } from '../testing/run-souk.ts';

const newKey = () => randomBytes(32).toString('base64url');

// in this order: refused, rotated, and afterwards
describe.skipIf(!hasPostgres())('the master key is rotated on two brokers under load', { shuffle: false }, () => {
  const [former, next] = [newKey(), newKey()];
  const both = { ...withoutHealthChecks, MASTER_KEY: former, MASTER_KEY_NEXT: next };
  let databaseUrl: string;
  let filled: FilledSecrets;
  let second: TestApp;
  let own: Database;
  /** Reads of the load on both brokers. It pauses while a command that will be killed starts. */
  let reads = 0;
  let rested: Promise<void> | undefined;
  const open = () => connectPatiently(databaseUrl);
  const keyFile = (key: string, mode = 0o600) => {
    const path = join(mkdtempSync(join(temporaryRoot(), 'key-')), 'next.key');
    writeFileSync(path, `${key}\n`, { mode });
    return path;
  };
  const rotate = (path: string) =>
    runSouk(['rotate-key', '--new', path], {
      environment: { DATABASE_URL: databaseUrl, DATA_DIR: second.dataDir, MASTER_KEY: former },
    });
  /**
   * Kills the command, a separate process, while it waits to rewrite a locked row, after both brokers have read the
   * current secrets: neither the command nor its statement continues.
   */
  const killedAt = (table: string, which = '') =>
    own.transaction(async (lock) => {
      await lock(`select from ${table} ${which} for update`);
      const environment = { DATABASE_URL: databaseUrl, DATA_DIR: second.dataDir, MASTER_KEY: former };
      const rest = Promise.withResolvers<void>();
      rested = rest.promise;
      const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`;
      const moment = async () => {
        await waitUntil('the command has begun', async () => (await readRotation(second.db.query)) !== undefined);
        rest.resolve();
        await waitUntil('the command waits', async () => {
          const { rows } = await second.db.query(`select ${waiting}`, [`update ${table} %`]);
          return rows.length > 0;
        });
        const reached = reads + 4;
        await waitUntil('both brokers have read meanwhile', () => reads >= reached);
      };
      await killSouk(['rotate-key', '--new', keyFile(next)], environment, moment).finally(rest.resolve);
      await second.db.query(`select pg_terminate_backend(pid) ${waiting}`, [`update ${table} %`]);
    });
  const state = async () => {
    const secrets = new Map((await readable(next)).map(([name, , opened]) => [name, opened]));
    const rotation = await readRotation(own.query);
    return { isFinished: rotation?.isFinished, rewritten: secrets.get('upstream_registrations.sealed_secret') };
  };
  const readable = async (key: string) =>
    (await checkSecrets(own.query, createVault(key))).map(({ name, secrets, unreadable }) => [
      name,
      secrets,
      secrets - unreadable,
    ]);

  beforeAll(async () => {
    databaseUrl = await createPostgresDatabase(migrations);
    own = await open();
    filled = await fillSecrets(both, await open());
    second = await startTestApp({ env: both, db: await open() });
  });
  afterAll(async () => {
    await second?.stop();
    await filled?.close();
    await own?.close();
  });

  test('a key that is open to others, invalid or guessable is refused, and a rotation does not start with a key that a broker lacks', async () => {
    expect(await rotate(keyFile(next, 0o644))).toMatchObject({ code: 64, err: expect.stringContaining('chmod 600') });
    expect(await rotate(keyFile('short'))).toMatchObject({ code: 64, err: expect.stringContaining('32 bytes') });
    expect(await rotate(keyFile('A'.repeat(43)))).toMatchObject({
      code: 64,
      err: expect.stringContaining('can be guessed'),
    });
    expect(await rotate(keyFile(former))).toMatchObject({ code: 64, err: expect.stringContaining('in use') });
    expect(await rotate('/nowhere')).toMatchObject({ code: 64, err: expect.stringContaining('not a file') });
    expect(await rotate(keyFile(newKey()))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/2 brokers .* do not have the new key/),
    });
    expect((await own.query('select from master_keys')).rows).toEqual([]);
  });

  test('[CFG-32] no read fails, a command that is killed at any moment continues where it was, and afterwards the former key opens nothing', async () => {
    // more rows than one batch has
    const registrations = 501;
    const vault = createVault(former);
    const ids = Array.from({ length: registrations }, () => crypto.randomUUID());
    await own.query(
      `insert into upstream_registrations (id, server_id, issuer, token_endpoint, redirect_uri, client_id, sealed_secret, auth_method, created_at)
       select id::uuid, 'vault', id, 'e', 'r', 'c', sealed, 'client_secret_basic', now() from unnest($1::text[], $2::text[]) as v(id, sealed)`,
      [ids, ids.map((id) => vault.seal({ table: 'upstream_registrations', row: id, userId: '' }, id))],
    );
    const over = new AbortController();
    const failures: unknown[] = [];
    let writes = 0;
    let archive = '';
    const load = (async () => {
      while (!over.signal.aborted) {
        await rested;
        for (const app of [filled.app, second]) {
          const found = await checkSecrets(app.db.query, app.vault);
          reads += 1;
          failures.push(...found.filter(({ unreadable }) => unreadable > 0));
          // a secret that is written meanwhile
          const answer = await fetch(`${app.publicUrl}/oauth/register`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              redirect_uris: ['https://app.example/cb'],
              token_endpoint_auth_method: 'client_secret_basic',
            }),
          });
          if (answer.status === 201) writes += 1;
          else if (answer.status !== 429) failures.push(answer.status);
        }
      }
    })();
    try {
      await killedAt('upstream_registrations', 'order by id desc limit 1');
      expect(await state(), 'in the middle of a table').toEqual({ isFinished: false, rewritten: 500 });
      archive = join(mkdtempSync(join(temporaryRoot(), 'half-')), 'souk.tar.zst');
      const environment = { DATABASE_URL: databaseUrl, DATA_DIR: second.dataDir, MASTER_KEY: former };
      expect(await runSouk(['backup', archive], { environment })).toMatchObject({ code: 0 });
      expect(await rotate(keyFile(newKey())), 'with another key').toMatchObject({
        code: 1,
        err: expect.stringContaining(`id ${masterKeyIdOf(next)} is not finished`),
      });
      await killedAt('master_keys');
      expect(await state(), 'everything is rewritten').toEqual({ isFinished: false, rewritten: registrations + 1 });
      expect(await rotate(keyFile(next))).toMatchObject({ code: 0, out: expect.not.stringContaining('rewritten') });
      expect(await state()).toEqual({ isFinished: true, rewritten: registrations + 1 });
      const reached = reads + 2;
      await waitUntil('the load continued', () => reads >= reached);
    } finally {
      over.abort();
      await load;
    }
    expect(failures).toEqual([]);
    const check = (env: NodeJS.ProcessEnv) =>
      runSouk(['restore', archive, '--check'], { environment: { DATA_DIR: second.dataDir, ...env } });
    expect(await check({ MASTER_KEY: next })).toMatchObject({
      code: 78,
      err: expect.stringContaining('was rotated'),
    });
    expect(writes).toBeGreaterThan(0);
    for (const [name, secrets, opened] of await readable(next)) expect([name, opened]).toEqual([name, secrets]);
    for (const [name, secrets, opened] of await readable(former)) {
      expect(secrets, String(name)).toBeGreaterThan(0);
      expect([name, opened]).toEqual([name, 0]);
    }
    expect(await rotate(keyFile(next))).toMatchObject({ code: 0, out: expect.not.stringContaining('rewritten') });
    const told = await own.query(
      `select action, subject, details from audit_log where action like 'key.%' order by id`,
    );
    const details = { via: 'command', formerId: masterKeyIdOf(former), operator: userInfo().username };
    expect(told.rows, 'once each').toEqual(
      ['key.rotation-begun', 'key.rotated'].map((action) => ({ action, subject: masterKeyIdOf(next), details })),
    );
  });

  test('afterwards a broker starts with only the new key, its users stay signed in, and with only the former one it says which it needs', async () => {
    const alone = { ...both, MASTER_KEY_NEXT: '' };
    await expect(startTestApp({ env: { ...alone, MASTER_KEY: former }, db: await open() })).rejects.toThrow(
      `the master key was rotated to the one with the id ${masterKeyIdOf(next)}`,
    );
    // tokens belong to the address where they were issued
    await filled.app.stop();
    const { port } = new URL(filled.app.publicUrl);
    const third = await startTestApp({ env: { ...alone, MASTER_KEY: next, PORT: port }, db: await open() });
    try {
      expect(await filled.ann.call('GET', '/v2/user/profile'), 'the old session').toMatchObject({ status: 200 });
    } finally {
      await third.stop();
    }
  });
});

test('the broker that runs rotates the master key of an embedded database, and the audit log records it', async () => {
  const [former, next] = [newKey(), newKey()];
  const { app, close } = await fillSecrets({ MASTER_KEY: former, MASTER_KEY_NEXT: next });
  const commands = databaseCommands({ db: app.db, vault: app.vault });
  const server = await createOperatorServer({ dataDir: app.dataDir, commands, log: createLog('silent') });
  const path = join(mkdtempSync(join(temporaryRoot(), 'key-')), 'next.key');
  writeFileSync(path, `${next}\n`, { mode: 0o600 });
  const rotate = () =>
    runSouk(['rotate-key', '--new', path], { environment: { DATA_DIR: app.dataDir, MASTER_KEY: former } });
  try {
    expect(await rotate()).toMatchObject({ code: 0, out: expect.stringContaining('1 rewritten') });
    expect(await rotate(), 'again').toMatchObject({ code: 0, out: expect.not.stringContaining('rewritten') });
    for (const { name, secrets, unreadable } of await checkSecrets(app.db.query, createVault(next)))
      expect([name, secrets > 0, unreadable]).toEqual([name, true, 0]);
    const { rows } = await app.db.query(
      `select action, subject, details from audit_log where action like 'key.%' order by id`,
    );
    const subject = masterKeyIdOf(next);
    const details = { via: 'command', formerId: masterKeyIdOf(former), operator: userInfo().username };
    expect(rows).toEqual([
      { action: 'key.rotation-begun', subject, details },
      { action: 'key.rotated', subject, details },
    ]);
  } finally {
    await server.stop();
    await close();
  }
});

test('the command itself rotates the keys of an embedded database if no broker runs', async () => {
  const [former, next] = [newKey(), newKey()];
  const dataDir = mkdtempSync(join(temporaryRoot(), 'rotated-'));
  const open = () => openDatabase({ databaseUrl: undefined, dataDir, log: createLog('silent'), migrations });
  const db = await open();
  await migrate(db, migrations, version);
  const place = { table: 'kept_keys', row: 'a purpose', userId: '' };
  await db.query('insert into kept_keys (purpose, sealed) values ($1, $2)', [
    place.row,
    createVault(former).seal(place, 'a secret'),
  ]);
  await db.close();
  const path = join(mkdtempSync(join(temporaryRoot(), 'key-')), 'next.key');
  writeFileSync(path, `${next}\n`, { mode: 0o600 });
  const environment = { DATA_DIR: dataDir, MASTER_KEY: former };
  const rotated = await runSouk(['rotate-key', '--new', path], { environment });
  expect(rotated).toMatchObject({ code: 0, out: expect.stringContaining('kept_keys.sealed: 1 rewritten') });
  const again = await open();
  try {
    const found = await checkSecrets(again.query, createVault(next));
    expect(found.find(({ name }) => name === 'kept_keys.sealed')).toMatchObject({ secrets: 1, unreadable: 0 });
  } finally {
    await again.close();
  }
});
