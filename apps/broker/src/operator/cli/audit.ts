import { auditGroupNames } from '@souk/contract/admin/audit-actions.ts';
import { sayIssues } from '#platform/text/say-issues.ts';
import { auditListedSchema, auditWantedSchema } from '#operator/commands/audit-command.ts';
import { describeChanges, describeActor } from '#features/audit/index.ts';
import { askBrokerOrRun, flag, text, UsageError, type CliOptions, type Command, type Values } from './command.ts';

export const auditCliCommand: Command = {
  name: 'audit',
  summary: 'prints the audit log, newest rows first',
  usage: 'audit [--who W] [--group G] [--object O] [--from DAY] [--to DAY] [--limit N] [--json]',
  options: { who: text, group: text, object: text, from: text, to: text, limit: text, json: flag },
  help: [
    ['--who W', "people, operators, broker, operator:NAME, or a user's id or e-mail address"],
    ['--group G', auditGroupNames.join(', ')],
    ['--object O', "the beginning of a server's or user's id, or of a user's e-mail address"],
    ['--from, --to DAY', 'such as 2026-12-01, both inclusive; times such as 2026-12-01T00:00:00Z work too'],
    ['--limit N', 'the maximum number of rows, 1 to 200; 50 by default'],
    ['--json', 'print each row as JSON, one row per line'],
  ],
  run: printAudit,
};

async function printAudit({ json, ...wanted }: Values, cli: CliOptions): Promise<void> {
  const { stdout, stderr } = cli;
  const understood = auditWantedSchema.safeParse(wanted);
  if (!understood.success) throw new UsageError(sayIssues(understood.error));
  const { entries, hasMore } = await askBrokerOrRun(cli, auditListedSchema, 'audit.list', wanted);
  for (const entry of entries) {
    if (json === true) {
      stdout(JSON.stringify(entry));
      continue;
    }
    const { at, who, text: what, object, reason, address } = entry;
    stdout(`${at}  ${describeActor(who)}${address === null ? '' : ` (${address})`}: ${what}: ${object.name}`);
    const changes = describeChanges(entry);
    if (changes !== '') stdout(`    ${changes}`);
    if (reason !== null) stdout(`    Reason: ${reason}`);
  }
  if (entries.length === 0) stderr('No row of the audit log matches.');
  if (hasMore) stderr('There are more rows: narrow them with --from and --to, or export them in the browser.');
}
