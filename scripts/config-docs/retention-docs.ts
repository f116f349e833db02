import { markdownTable } from '../../bench/report/markdown-table.ts';
import { keptTables } from '../../apps/broker/src/retention/kept-tables.ts';

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

This page lists the contents of every table of the database, how long they are kept, and why. A daily job deletes older rows in batches
of 5,000, and logs their number (\`old rows removed\`). [Configuration](configuration.md) has the variables. Users can download all their
data and delete their account in the dashboard under **Profile**.

- **Backups** contain what was in the database when they were taken, as long as you keep them (\`BACKUP_KEEP\`). A restore repeats the
  deletions of accounts from \`erased.jsonl\` ([backup](backup.md)).
- **The log** is yours to keep. It contains ids of users but no names; arguments and results of calls are in no table and no log.
- **Books**: payments and credits are never deleted while the account exists. The database refuses to delete ledger rows of an account
  that was deleted less than a year ago, and rows of the audit log that are less than a year old.
- **Files** of a user's programs are deleted with the account.

${markdownTable(['what', 'how long', 'why', 'tables'], rows)}
`;
}
