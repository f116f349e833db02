import { userInfo } from 'node:os';
import { allowedAddressSchema, allowedPackageSchema } from '@souk/contract/admin/allowances.ts';
import { packageShownSchema } from '#operator/commands/allow-commands.ts';
import { z } from 'zod';
import { answeredCommand, askBroker, text, UsageError, type CliOptions, type Command, type Values } from './command.ts';

const listSchema = z.object({
  addresses: z.object({ mayAdd: z.boolean(), ofOperator: z.array(z.string()), added: z.array(allowedAddressSchema) }),
  packages: z.object({ mayAdd: z.boolean(), added: z.array(allowedPackageSchema) }),
});
const entrySchema = z.object({ entry: z.string() });
const aliasSchema = z.object({ alias: z.string() });
/** Longer than the broker waits for a registry. */
const lookUpTimeoutMs = 5 * 60_000;

/** Sends a command to the running broker, because it resolves names and ends connections on its own machine. */
const ask = <Answer extends z.ZodType>(
  cli: CliOptions,
  answer: Answer,
  command: string,
  args: object,
  timeoutMs?: number,
) => askBroker(cli, answer, command, { ...args, operator: userInfo().username }, timeoutMs);

export const allowCliCommands: readonly Command[] = [
  answeredCommand({
    name: 'allow list',
    summary: 'shows the private addresses that servers may use, and the npm packages that administrators added',
    command: 'allow.list',
    answer: listSchema,
    needsBroker: true,
    print: printAllowed,
  }),
  {
    name: 'allow address',
    summary: 'lets servers use an address of a private network, as administrators do in the browser',
    usage: 'allow address HOST:PORT [--note TEXT]',
    options: { note: text },
    argument: 'ENTRY',
    help: [['--note TEXT', 'what it is for']],
    async run({ ENTRY, note }, cli) {
      const args = { entry: entryOf(ENTRY), ...(typeof note === 'string' && { note }) };
      const { entry } = await ask(cli, entrySchema, 'allow.address', args);
      cli.stdout(`${entry} is allowed`);
    },
  },
  {
    name: 'allow remove-address',
    summary: 'removes an address that was added; connections to it end',
    usage: 'allow remove-address HOST:PORT',
    argument: 'ENTRY',
    async run({ ENTRY }, cli) {
      const { entry } = await ask(cli, entrySchema, 'allow.remove-address', { entry: entryOf(ENTRY) });
      cli.stdout(`${entry} is no longer allowed`);
    },
  },
  {
    name: 'allow package',
    summary: 'shows an npm package, and with --shown lets manifests start it, as administrators do in the browser',
    usage:
      'allow package ALIAS PACKAGE@VERSION [--network N] [--bin B] [--secrets A,B] [--env JSON] [--shown C] [-- ARGUMENT…]',
    options: { network: text, bin: text, secrets: text, env: text, shown: text },
    argument: 'ALIAS',
    takesMany: true,
    help: [
      ['ALIAS', 'the name with which manifests start it: "command": "ALIAS"'],
      ['PACKAGE@VERSION', 'a package at an exact version, such as @scope/name@1.2.3'],
      ['ARGUMENT…', 'arguments of the program, after --'],
      ['--network N', 'none (the default) or public'],
      ['--bin B', 'the command of the package to start, if it has several'],
      ['--secrets A,B', 'names of variables whose values are entered for the server'],
      ['--env JSON', 'other variables: \'{"SITE":"example.com"}\''],
      [
        '--shown C',
        'the code that the command prints without this option; if the package has changed since, nothing is allowed',
      ],
    ],
    async run(values, cli, positionals) {
      const form = formOf(values, positionals);
      if (typeof values['shown'] === 'string') {
        const { alias } = await ask(
          cli,
          aliasSchema,
          'allow.package',
          { form, code: values['shown'] },
          lookUpTimeoutMs,
        );
        return cli.stdout(`${alias} is allowed: manifests can start it`);
      }
      const shown = await ask(cli, packageShownSchema, 'allow.preview-package', { form }, lookUpTimeoutMs);
      const others = shown.comesWith === 1 ? '1 other package' : `${shown.comesWith} other packages`;
      cli.stdout(`${form.package}  ${shown.integrity}  with ${others}, network ${form.network}`);
      return cli.stdout(`To allow it, repeat the command with --shown ${shown.code} (before --)`);
    },
  },
  {
    name: 'allow remove-package',
    summary: 'removes an npm package that an administrator added; its processes end',
    usage: 'allow remove-package ALIAS',
    argument: 'ALIAS',
    async run({ ALIAS }, cli) {
      if (typeof ALIAS !== 'string') throw new UsageError('Name an alias, as allow list prints it');
      const { alias } = await ask(cli, aliasSchema, 'allow.remove-package', { alias: ALIAS });
      cli.stdout(`${alias} can no longer be started`);
    },
  },
];

function printAllowed({ addresses, packages }: z.output<typeof listSchema>, stdout: CliOptions['stdout']): void {
  for (const entry of addresses.ofOperator) stdout(`${entry}  by UPSTREAM_ALLOW_ADDRESSES`);
  for (const { entry, addresses: named, added, servers } of addresses.added) {
    const at = named.length === 0 ? '' : ` (${named.join(', ')})`;
    const use = servers.length === 0 ? '' : `  for ${servers.join(', ')}`;
    stdout(`${entry}${at}  ${addedText(added)}${use}`);
  }
  for (const { form, added, isShadowed } of packages.added) {
    const use = isShadowed ? '  not used: your list has this alias' : '';
    stdout(`${form.alias}  ${form.package}, network ${form.network}  ${addedText(added)}${use}`);
  }
  if (!packages.mayAdd)
    stdout('Administrators cannot add packages: ADMIN_MAY_ALLOW does not include packages, or STDIO is off');
  if (!addresses.mayAdd) stdout('Administrators cannot add addresses: ADMIN_MAY_ALLOW does not include addresses');
}

const addedText = ({ at, by }: { at: string; by: string | null }) => `added ${at.slice(0, 16)} by ${by ?? 'a command'}`;

/** @throws UsageError */
function entryOf(entry: unknown): string {
  if (typeof entry !== 'string') throw new UsageError('Name an address, such as 10.0.0.5:8080');
  return entry;
}

/** @throws UsageError */
function formOf({ network = 'none', bin, secrets, env }: Values, positionals: readonly string[]) {
  const [alias, wanted, ...args] = positionals;
  if (alias === undefined || wanted === undefined)
    throw new UsageError('Name an alias and a package: npm run souk -- allow package ALIAS PACKAGE@VERSION');
  return {
    alias,
    package: wanted,
    args,
    network,
    ...(typeof bin === 'string' && { bin }),
    ...(typeof secrets === 'string' && { secrets: secrets.split(',').map((name) => name.trim()) }),
    ...(typeof env === 'string' && { env: variablesOf(env) }),
  };
}

/** Reads the JSON of --env, whose names and values the broker checks. @throws UsageError */
function variablesOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new UsageError('--env must be JSON, such as \'{"SITE":"example.com"}\'');
  }
}
