import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Migration, Query } from '../db/database.ts';
import { parseJson } from '../json.ts';
import { codeOf } from '../thrown.ts';

/** A file next to the backups, with a line of JSON for each deleted account. It contains nothing of the user but the id. */
export const erasedListName = 'erased.jsonl';

const lineSchema = z.object({ userId: z.uuid(), at: z.iso.datetime() });

export const erasureMigrations: readonly Migration[] = [
  {
    name: '0004-platform-backups',
    statements: [
      // Accounts that a restore brought back although they had been deleted. The next start deletes them again.
      'create table erasures_to_repeat (user_id uuid primary key)',
      // The last automatic backup, and the last failed attempt.
      `create table own_backups (
        only_row boolean primary key default true check (only_row),
        file text,
        bytes bigint,
        taken_at timestamptz,
        failed_at timestamptz,
        failure text
      )`,
    ],
  },
];

/** Appends a line. A single write of a line this short is not split. */
export async function recordErasure(folder: string, userId: string, at: Date): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await appendFile(join(folder, erasedListName), `${JSON.stringify({ userId, at: at.toISOString() })}\n`, {
    mode: 0o600,
  });
}

/** Reads the ids from the list next to an archive, if there is one. @throws Error that names an invalid line */
export async function readErased(archive: string): Promise<string[]> {
  const path = join(dirname(archive), erasedListName);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line, index) => {
    const parsed = lineSchema.safeParse(parseJson(line));
    if (!parsed.success) throw new Error(`${path}, line ${index + 1}: this is not a deleted account`);
    return parsed.data.userId;
  });
}

/** Deactivates the accounts immediately, and marks them for deletion at the next start. @returns how many are not deleted yet */
export async function repeatErasures(query: Query, userIds: readonly string[]): Promise<number> {
  const { affectedRows } = await query(
    `insert into erasures_to_repeat (user_id)
     select id from users where id = any($1::uuid[]) and deleted_at is null on conflict do nothing`,
    [userIds],
  );
  await query('update users set is_active = false where id in (select user_id from erasures_to_repeat)');
  return affectedRows;
}

/** Deletes accounts that a restore brought back, before requests are served. Failures are retried at the next start. */
export async function eraseAgain(query: Query, erase: (userId: string) => Promise<void>): Promise<void> {
  const { rows } = await query<{ id: string }>('select user_id as id from erasures_to_repeat order by 1');
  for (const { id } of rows) {
    await erase(id);
    await query('delete from erasures_to_repeat where user_id = $1', [id]);
  }
}
