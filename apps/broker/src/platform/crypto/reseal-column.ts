import type { Query } from '../db/database.ts';
import { nameOf, type EncryptedColumn } from './encrypted-columns.ts';
import { readSealed, valueOf, type SealedRow } from './read-sealed.ts';
import { SealedTextError, type Vault } from './vault.ts';

export type ResealedColumn = { name: string; resealed: number; unreadable: number };

/**
 * Reseals the values of a column that other keys of the vault have sealed, in batches. Skips rows that were changed or
 * deleted since they were read. Counts and skips values that no key opens.
 */
export async function resealColumn(
  query: Query,
  vault: Vault,
  column: EncryptedColumn,
  onProgress: (resealed: number) => void,
): Promise<ResealedColumn> {
  const counts = { name: nameOf(column), resealed: 0, unreadable: 0 };
  for await (const rows of readSealed(query, column)) {
    const changed = rows.flatMap((row) => {
      const sealed = resealed(vault, row);
      if (sealed === 'unreadable') counts.unreadable += 1;
      return sealed === 'current' || sealed === 'unreadable' ? [] : [{ ...row, next: sealed.text }];
    });
    if (changed.length === 0) continue;
    counts.resealed += await write(query, column, changed);
    onProgress(counts.resealed);
  }
  return counts;
}

function resealed(vault: Vault, { context, sealed }: SealedRow): { text: string } | 'current' | 'unreadable' {
  try {
    if (vault.isCurrent(sealed)) return 'current';
    return { text: vault.seal(context, vault.open(context, sealed)) };
  } catch (error) {
    if (error instanceof SealedTextError) return 'unreadable';
    throw error;
  }
}

async function write(
  query: Query,
  column: EncryptedColumn,
  rows: readonly (SealedRow & { next: string })[],
): Promise<number> {
  const keys = Object.entries(column.key);
  const next =
    column.member === undefined ? 'v.next' : `jsonb_set(t.${column.column}, '{${column.member}}', to_jsonb(v.next))`;
  const before = valueOf({ ...column, column: `t.${column.column}` });
  const { affectedRows } = await query(
    `update ${column.table} t set ${column.column} = ${next}
     from unnest($1::text[], $2::text[], ${keys.map((_, index) => `$${index + 3}::text[]`).join(', ')})
       as v(before, next, ${keys.map(([name]) => name).join(', ')})
     where ${before} = v.before and ${keys.map(([name, type]) => `t.${name} = v.${name}::${type}`).join(' and ')}`,
    [
      rows.map(({ sealed }) => sealed),
      rows.map((row) => row.next),
      ...keys.map(([name]) => rows.map(({ key }) => key[name] ?? '')),
    ],
  );
  return affectedRows;
}
