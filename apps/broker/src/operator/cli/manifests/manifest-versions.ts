import type { z } from 'zod';
import { deletedSchema, shownSchema, stagedSchema } from '#operator/commands/manifests/manifest-results.ts';
import {
  answeredCommand,
  askBrokerOrRun,
  flag,
  jsonHelp,
  required,
  show,
  text,
  UsageError,
  type CliOptions,
  type Command,
} from '../command.ts';
import { helpCommandOf, readChecked, reasonHelp } from './manifest-source.ts';
import { printDeleted, printStaged, printVersions } from './print-manifest.ts';

/** The commands on versions, as on the administrators' screen. */
export const manifestVersionCommands: readonly Command[] = [
  answeredCommand({
    name: 'manifest show',
    summary: 'prints a manifest as it was written: the staged version, else the deployed one, else the last',
    usage: 'manifest show ID [--version V] [--json]',
    options: { version: text },
    argument: 'ID',
    help: [
      ['ID', 'a server that the catalog knows'],
      ['--version V', 'another version of it'],
      ['', '--json prints its versions, its revision and the number of the next version too'],
    ],
    command: 'manifest.show',
    answer: shownSchema,
    args: (values) => ({ id: required(values, 'ID', 'manifest show'), version: values['version'] }),
    print: ({ manifest }, stdout) => stdout(JSON.stringify(manifest, null, 2)),
  }),
  {
    name: 'manifest versions',
    summary: 'lists the versions of a manifest, newest first, with who staged each and why',
    usage: 'manifest versions ID [--json]',
    options: { json: flag },
    argument: 'ID',
    help: [['ID', 'a server that the catalog knows'], jsonHelp],
    async run(values, cli) {
      const id = required(values, 'ID', 'manifest versions');
      const shown = await askBrokerOrRun(cli, shownSchema, 'manifest.show', { id });
      const { versions, revision, nextVersion } = shown;
      show({ id, versions, revision, nextVersion }, printVersions, { values, ...cli });
    },
  },
  answeredCommand({
    name: 'manifest stage',
    summary: 'stages a manifest; the live version stays until the new one is deployed',
    usage: 'manifest stage FILE [--reason R] [--json]',
    options: { reason: text },
    argument: 'FILE',
    help: [['FILE', 'a manifest; - reads standard input'], reasonHelp, ['', 'exits with 1 when it is refused']],
    command: 'manifest.stage',
    answer: stagedSchema,
    args: async (values, _positionals, cli) => ({
      source: await readChecked(required(values, 'FILE', 'manifest stage'), values, cli),
      reason: values['reason'],
    }),
    print: printStaged,
  }),
  removingCommand({
    name: 'delete',
    summary: 'removes servers from the shop and from staging; their versions are kept, and can be deployed again',
    help: [
      ['ID', 'a server that is deployed or staged'],
      reasonHelp,
      jsonHelp,
      ['', 'prints one line for each server; the first refusal ends the command'],
    ],
    answer: deletedSchema,
    print: printDeleted,
  }),
];

export function removingCommand<Answer extends z.ZodType>({
  name,
  answer,
  print,
  ...parts
}: Pick<Command, 'name' | 'summary' | 'help'> & {
  answer: Answer;
  print(answer: z.output<Answer>, stdout: CliOptions['stdout']): void;
}): Command {
  return {
    ...parts,
    name: `manifest ${name}`,
    usage: `manifest ${name} ID… [--reason R] [--json]`,
    options: { json: flag, reason: text },
    argument: 'ID',
    takesMany: true,
    async run(values, cli, ids) {
      if (ids.length === 0) throw new UsageError(`ID is required. See: ${helpCommandOf(name)}`);
      for (const id of ids) {
        const answered = await askBrokerOrRun(cli, answer, `manifest.${name}`, { id, reason: values['reason'] });
        show(answered, print, { values, ...cli });
      }
    },
  };
}
