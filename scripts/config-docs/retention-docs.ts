import { markdownTable } from '../../bench/report/markdown-table.ts';
import { keptTables } from '../../apps/broker/src/retention/kept-tables.ts';

/** docs/retention.md: what is kept, how long, and why. */
export function retentionDocs(): string {
  const rows = keptTables.map(({ tables, what, kept, why }) => {
    const names = tables
      .split(' ')
      .map((name) => `\`${name}\``)
      .join(', ');
    return [what, kept, why, names];
  });
  return `<!-- npm run config-docs writes this page. -->

# Retention

Every table of the database: what it holds, how long, and why. A job deletes once a day what is older, in batches of 5,000 rows, and
the log says how many there were (\`old rows removed\`). [Configuration](configuration.md) has the variables. What people may do
themselves stands in the dashboard under **Profile**: download everything, and delete the account.

- **Backups** hold what was in the database when they were taken, as long as you keep them (\`BACKUP_KEEP\`). A restore repeats the
  deletions of accounts from \`erased.jsonl\` ([backup](backup.md)).
- **The log** is yours to keep. It has ids of people and no names; arguments and results of calls are in no table and no log.
- **Books**: payments and credits are never deleted while the account is there. The database refuses to delete rows of the ledger of
  an account that was deleted less than a year ago, and rows of the audit log that are less than a year old.
- **Files** of a person's programs are deleted with the account.

${markdownTable(['what', 'how long', 'why', 'tables'], rows)}
`;
}
