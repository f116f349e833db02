import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listTables } from '#platform/backup/list-tables.ts';
import { checkSecrets, sayUnreadable } from '#platform/crypto/check-secrets.ts';
import { encryptedColumns, nameOf } from '#platform/crypto/encrypted-columns.ts';
import { createVault } from '#platform/crypto/vault.ts';
import type { Query } from '#platform/db/database.ts';
import { quoted } from '#platform/db/channels.ts';
import { plainColumns } from '#testing/databases/plain-columns.ts';
import { fillSecrets, type FilledSecrets } from '#testing/databases/fill-secrets.ts';

const masterKey = randomBytes(32).toString('base64url');
let filled: FilledSecrets;
beforeAll(async () => {
  filled = await fillSecrets({ MASTER_KEY: masterKey });
});
afterAll(() => filled?.close());

const isText = (type: string) => /^(text|jsonb?|bytea|character|xml)/.test(type);
/** Returns the name as messages show it: without the schema of the product's own tables. */
const shortName = (table: string) => table.replace(/^public\./, '');

async function textColumns(query: Query): Promise<{ table: string; column: string; name: string }[]> {
  const tables = await listTables(query);
  return tables.flatMap(({ name: table, columns }) =>
    columns
      .filter(({ type }) => isText(type))
      .map(({ name: column }) => ({ table, column, name: `${shortName(table)}.${column}` })),
  );
}

test('every column that could contain a secret is encrypted, or deliberately plain', async () => {
  const encrypted = encryptedColumns.map(({ table, column }) => `${table}.${column}`);
  const plain = Object.entries(plainColumns).flatMap(([table, columns]) =>
    columns.split(' ').map((column) => `${table}.${column}`),
  );
  const found = (await textColumns(filled.app.db.query)).map(({ name }) => name);
  expect([...encrypted, ...plain].toSorted(), 'add a new column to one of the two lists').toEqual(found.toSorted());
});

test('after a walk through the product, sealed text is only in the encrypted columns, in each of them, and can be opened', async () => {
  const { query } = filled.app.db;
  const withSealed: string[] = [];
  for (const { table, column, name } of await textColumns(query)) {
    const { rows } = await query(
      `select from ${table} where ${quoted(column)}::text ~ 'v1\\.[A-Za-z0-9_-]{8}\\.[A-Za-z0-9_-]{80}' limit 1`,
    );
    if (rows.length > 0) withSealed.push(name);
  }
  const columns = encryptedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(withSealed.toSorted()).toEqual(columns.toSorted());
  const checked = await checkSecrets(query, createVault(masterKey));
  expect(checked.map(({ name }) => name)).toEqual(encryptedColumns.map(nameOf));
  expect(checked.filter(({ secrets }) => secrets === 0)).toEqual([]);
  expect(sayUnreadable(checked)).toEqual([]);
  // a value that was copied to another row cannot be opened there
  await query(`insert into signing_keys (id, purpose, state, sealed_key, created_at, state_since)
    select 'copy', 'cookies', 'retired', sealed_key, now(), now() from signing_keys limit 1`);
  const [line] = sayUnreadable(await checkSecrets(query, createVault(masterKey)));
  expect(line).toMatch(/^signing_keys\.sealed_key: 1 of \d+ secrets cannot be read with this key$/);
  await query(`delete from signing_keys where id = 'copy'`);
});
