import type { Query } from '../db/database.ts';
import { encryptedColumns, nameOf } from './encrypted-columns.ts';
import { readSealed, type SealedRow } from './read-sealed.ts';
import { SealedTextError, type Vault } from './vault.ts';

export type CheckedColumn = { name: string; secrets: number; unreadable: number };

export async function checkSecrets(query: Query, vault: Pick<Vault, 'open'>): Promise<CheckedColumn[]> {
  const checked: CheckedColumn[] = [];
  for (const column of encryptedColumns) {
    const found = { name: nameOf(column), secrets: 0, unreadable: 0 };
    for await (const rows of readSealed(query, column)) {
      found.secrets += rows.length;
      found.unreadable += rows.filter((row) => !opens(vault, row)).length;
    }
    checked.push(found);
  }
  return checked;
}

function opens(vault: Pick<Vault, 'open'>, { context, sealed }: SealedRow): boolean {
  try {
    vault.open(context, sealed);
    return true;
  } catch (error) {
    if (error instanceof SealedTextError) return false;
    throw error;
  }
}

/** Writes a line for each column with secrets that do not open. */
export const sayUnreadable = (checked: readonly CheckedColumn[]): string[] =>
  checked
    .filter(({ unreadable }) => unreadable > 0)
    .map(
      ({ name, secrets, unreadable }) => `${name}: ${unreadable} of ${secrets} secrets cannot be read with this key`,
    );
