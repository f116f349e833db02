import { deletedSchema, shownSchema, stagedSchema } from '#operator/commands/manifests/manifest-results.ts';
import { askBrokerOrRun, ReportedError, required, UsageError, type Command, type Values } from '../command.ts';
import { check, readSource } from './manifest-source.ts';
import { printChecked, printDeleted, printStaged, printVersions } from './print-manifest.ts';

const json = { json: { type: 'boolean' } } as const;
const jsonHelp = ['--json', 'print the answer as JSON'] as const satisfies [string, string];
const reasonHelp = ['--reason R', 'for the audit log'] as const satisfies [string, string];
const reasonOf = ({ reason }: Values) => (typeof reason === 'string' ? { reason } : {});

/** `souk manifest …`: what the administrator's screen does with versions. */
export const manifestVersionCommands: readonly Command[] = [
  {
    name: 'manifest show',
    summary: 'prints a manifest as it was written: the staged version, else the deployed one, else the last',
    usage: 'manifest show ID [--version V] [--json]',
    options: { ...json, version: { type: 'string' } },
    argument: 'ID',
    help: [
      ['ID', 'a server that the catalog knows'],
      ['--version V', 'another version of it'],
      ['--json', 'with its versions, its revision and the number of the next version'],
    ],
    async run({ json: asJson, version, ...values }, cli) {
      const id = required(values, 'ID', 'manifest show');
      const args = { id, ...(version !== undefined && { version }) };
      const answer = shownSchema.parse(await askBrokerOrRun(cli, 'manifest.show', args));
      cli.stdout(asJson === true ? JSON.stringify(answer) : JSON.stringify(answer.manifest, null, 2));
    },
  },
  {
    name: 'manifest versions',
    summary: 'lists the versions of a manifest, the newest first: who staged each, and why',
    usage: 'manifest versions ID [--json]',
    options: json,
    argument: 'ID',
    help: [['ID', 'a server that the catalog knows'], jsonHelp],
    async run({ json: asJson, ...values }, cli) {
      const id = required(values, 'ID', 'manifest versions');
      const { versions, revision, nextVersion } = shownSchema.parse(await askBrokerOrRun(cli, 'manifest.show', { id }));
      if (asJson === true) cli.stdout(JSON.stringify({ id, versions, revision, nextVersion }));
      else printVersions(versions, cli.stdout);
    },
  },
  {
    name: 'manifest stage',
    summary: 'stages a manifest; what is live stays until it is deployed',
    usage: 'manifest stage FILE [--reason R] [--json]',
    options: { ...json, reason: { type: 'string' } },
    argument: 'FILE',
    help: [
      ['FILE', 'a manifest; - reads standard input'],
      reasonHelp,
      jsonHelp,
      ['', 'exits with 1 when it is refused'],
    ],
    async run(values, cli) {
      const file = required(values, 'FILE', 'manifest stage');
      const source = await readSource(file, cli);
      const checked = await check(source, cli);
      if (!checked.ok) {
        if (values.json === true) cli.stdout(JSON.stringify(checked));
        else printChecked(file, checked, cli.stdout);
        throw new ReportedError();
      }
      const args = { source: source.toString('base64'), ...reasonOf(values) };
      const answer = stagedSchema.parse(await askBrokerOrRun(cli, 'manifest.stage', args));
      if (values.json === true) cli.stdout(JSON.stringify(answer));
      else printStaged(answer, cli.stdout);
    },
  },
  {
    name: 'manifest delete',
    summary: 'takes servers out of the shop and out of staging; their versions are kept, and can be deployed again',
    usage: 'manifest delete ID… [--reason R] [--json]',
    options: { ...json, reason: { type: 'string' } },
    argument: 'ID',
    takesMany: true,
    help: [
      ['ID', 'a server that is deployed or staged'],
      reasonHelp,
      jsonHelp,
      ['', 'prints one line for each server; the first one that is refused ends the command'],
    ],
    async run(values, cli, ids) {
      if (ids.length === 0) throw new UsageError('ID is required. See: npm run souk -- manifest delete --help');
      for (const id of ids) {
        const answer = deletedSchema.parse(await askBrokerOrRun(cli, 'manifest.delete', { id, ...reasonOf(values) }));
        if (values.json === true) cli.stdout(JSON.stringify(answer));
        else printDeleted(answer, cli.stdout);
      }
    },
  },
];
