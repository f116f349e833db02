import type { Database } from '#platform/db/database.ts';

/** Returns every row of every table as text, for tests about what must not be stored. */
export async function dumpDatabase(db: Database): Promise<string> {
  const tables = await db.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' order by 1`,
  );
  const parts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await db.query<{ text: string }>(`select row_to_json(t)::text as text from ${name} t`);
    parts.push(name, ...rows.map(({ text }) => text));
  }
  return parts.join('\n');
}
