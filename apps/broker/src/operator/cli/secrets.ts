import { userInfo } from 'node:os';
import { neededSecretSchema, unusedSecretSchema } from '@souk/contract/admin/secrets.ts';
import { z } from 'zod';
import {
  answeredCommand,
  askBrokerOrRun,
  text,
  UsageError,
  type CliOptions,
  type Command,
  type Values,
} from './command.ts';

const listSchema = z.object({ needed: z.array(neededSecretSchema), unused: z.array(unusedSecretSchema) });
const placeSchema = z.object({ name: z.string(), place: z.string() });
const boundSchema = z.object({ place: z.string(), before: z.string().nullable() });
/** More than a value may have, so that a longer file is not sent. */
const maxValueBytes = 32 * 1024;
const serverArgument = { argument: 'SERVER', takesMany: true };

/** `souk secret …`. A value comes from standard input, because every process can read the arguments of another. */
export const secretCliCommands: readonly Command[] = [
  answeredCommand({
    name: 'secret list',
    summary: 'shows which secrets a server needs, which are set, by whom and when; never a value',
    usage: 'secret list SERVER [--json]',
    ...serverArgument,
    command: 'secret.list',
    answer: listSchema,
    args: (_values, positionals) => ({ id: namesOf('secret list SERVER', positionals, 1).id }),
    print({ needed, unused }, stdout, { values }) {
      if (needed.length === 0) stdout(`${values['SERVER']} needs no secret`);
      for (const one of needed) stdout(`${one.name}  ${stateText(one)}  for ${one.place}`);
      for (const { name, place } of unused) stdout(`${name}  not used  for ${place}`);
    },
  }),
  {
    name: 'secret set',
    summary: 'stores a secret of a server, encrypted; the value comes from standard input',
    usage: 'secret set SERVER NAME [--version V] < FILE',
    options: { version: text },
    ...serverArgument,
    help: [['--version V', 'the version that gets it, if versions have different addresses']],
    async run(values, cli, positionals) {
      const named = namesOf('secret set SERVER NAME', positionals, 2);
      const value = await readValue(cli);
      const args = { ...named, ...versionOf(values), value, operator: userInfo().username };
      const { name, place } = await askBrokerOrRun(cli, placeSchema, 'secret.set', args);
      cli.stdout(`${name} of ${named.id} is set, only for ${place}`);
    },
  },
  {
    name: 'secret bind',
    summary: "binds a server's UPSTREAM_HEADER_ variables to its new address, and to no other",
    usage: 'secret bind SERVER [--version V]',
    options: { version: text },
    ...serverArgument,
    help: [['--version V', 'the version that gets them, if versions have different addresses']],
    async run(values, cli, positionals) {
      const { id } = namesOf('secret bind SERVER', positionals, 1);
      const args = { id, ...versionOf(values), operator: userInfo().username };
      const { place, before } = await askBrokerOrRun(cli, boundSchema, 'secret.bind', args);
      cli.stdout(`The headers of ${id} in the environment are now sent only to ${place}`);
      if (before !== null && before !== place) cli.stdout(`They are no longer sent to ${before}`);
    },
  },
  {
    name: 'secret remove',
    summary: 'deletes a secret of a server; its connections and programs end',
    usage: 'secret remove SERVER NAME',
    ...serverArgument,
    async run(_values, cli, positionals) {
      const named = namesOf('secret remove SERVER NAME', positionals, 2);
      const args = { ...named, operator: userInfo().username };
      const removed = await askBrokerOrRun(cli, z.array(placeSchema), 'secret.remove', args);
      for (const { name, place } of removed) cli.stdout(`${name} of ${named.id} is removed, for ${place}`);
    },
  },
];

/** @throws UsageError */
function namesOf(
  usage: string,
  [id, name = '', ...more]: readonly string[],
  count: 1 | 2,
): { id: string; name: string } {
  if (id === undefined || (count === 2) === (name === '') || more.length > 0) {
    throw new UsageError(`Write: npm run souk -- ${usage}`);
  }
  return { id, name };
}

const versionOf = ({ version }: Values) => (typeof version === 'string' ? { version } : {});

/** Reads the value, without the final line break that `echo` and editors write. @throws UsageError */
async function readValue({ stdin }: CliOptions): Promise<string> {
  if (!stdin) throw new UsageError('there is no standard input');
  const bytes = Buffer.from(await stdin());
  if (bytes.length > maxValueBytes) throw new UsageError('the value is longer than any secret');
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}

function stateText({ state, variable, boundTo, entered }: z.output<typeof neededSecretSchema>): string {
  if (state === 'environment') return `set by ${variable ?? 'the environment'}`;
  if (state === 'unreadable') return 'cannot be read with this master key: set it again';
  if (!entered && boundTo !== null) return `missing (${variable ?? ''} is only sent to ${boundTo}: see secret bind)`;
  if (!entered) return 'missing';
  return `set ${entered.at.slice(0, 16)} by ${entered.by ?? 'a command'}`;
}
