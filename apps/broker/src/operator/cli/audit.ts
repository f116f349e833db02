import { auditGroupNames } from '@souk/contract/admin/audit-actions.ts';
import { sayIssues } from '#platform/text/say-issues.ts';
import { auditListedSchema, auditWantedSchema } from '#operator/commands/audit-command.ts';
import { tellChanges, tellWho } from '#features/audit/index.ts';
import { askBrokerOrRun, UsageError, type CliOptions, type Command, type Values } from './command.ts';

const text = { type: 'string' } as const;

/** `souk audit`: what the tab "Audit Log" shows. */
export const auditCliCommand: Command = {
  name: 'audit',
  summary: 'prints the audit log, the newest rows first',
  usage: 'audit [--who W] [--group G] [--object O] [--from DAY] [--to DAY] [--limit N] [--json]',
  options: { who: text, group: text, object: text, from: text, to: text, limit: text, json: { type: 'boolean' } },
  help: [
    ['--who W', "people, operators, broker, operator:NAME, or a user's id or e-mail address"],
    ['--group G', auditGroupNames.join(', ')],
    ['--object O', "the beginning of a server's or user's id, or of a user's e-mail address"],
    ['--from, --to DAY', 'such as 2026-12-01, both inclusive; moments such as 2026-12-01T00:00:00Z, too'],
    ['--limit N', 'at most so many rows, 1 to 200; 50 unless given'],
    ['--json', 'print each row as JSON, a row a line'],
  ],
  run: printAudit,
};

async function printAudit({ json, ...wanted }: Values, { environment, stdout, stderr }: CliOptions): Promise<void> {
  const understood = auditWantedSchema.safeParse(wanted);
  if (!understood.success) throw new UsageError(sayIssues(understood.error));
  const answer = await askBrokerOrRun({ environment, stderr }, 'audit.list', wanted);
  const { entries, hasMore } = auditListedSchema.parse(answer);
  for (const entry of entries) {
    if (json === true) {
      stdout(JSON.stringify(entry));
      continue;
    }
    const { at, who, text, object, reason, address } = entry;
    stdout(`${at}  ${tellWho(who)}${address === null ? '' : ` (${address})`}: ${text}: ${object.name}`);
    const changes = tellChanges(entry);
    if (changes !== '') stdout(`    ${changes}`);
    if (reason !== null) stdout(`    Reason: ${reason}`);
  }
  if (entries.length === 0) stderr('No row of the audit log fits.');
  if (hasMore) stderr('There are more rows: narrow them by --from and --to, or export them in the browser.');
}
