import { userInfo } from 'node:os';
import { allowedAddressSchema, allowedPackageSchema } from '@souk/contract/admin/allowances.ts';
import { readConfig } from '#platform/config.ts';
import { callOperator } from '#platform/operator/call-operator.ts';
import { packageShownSchema } from '#operator/commands/allow-commands.ts';
import { z } from 'zod';
import { UsageError, type CliOptions, type Command, type Values } from './command.ts';

const listSchema = z.object({
  addresses: z.object({ mayAdd: z.boolean(), ofOperator: z.array(z.string()), added: z.array(allowedAddressSchema) }),
  packages: z.object({ mayAdd: z.boolean(), added: z.array(allowedPackageSchema) }),
});
const entrySchema = z.object({ entry: z.string() });

/** `souk allow …` of the running broker: names are resolved, and connections end, where it runs. */
const ask = (cli: CliOptions, command: string, args: object = {}, timeoutMs?: number) =>
  callOperator(readConfig(cli.environment).dataDir, command, { ...args, operator: userInfo().username }, timeoutMs);
/** A registry that does not answer is given up before. */
const lookUpMs = 5 * 60_000;

export const allowCliCommands: readonly Command[] = [
  {
    name: 'allow list',
    summary: 'shows the private addresses that servers may use, and the npm packages that administrators added',
    usage: 'allow list [--json]',
    options: { json: { type: 'boolean' } },
    help: [['--json', 'print the answer as JSON']],
    async run(values, cli) {
      const { addresses, packages } = listSchema.parse(await ask(cli, 'allow.list'));
      if (values['json'] === true) return cli.stdout(JSON.stringify({ addresses, packages }));
      for (const entry of addresses.ofOperator) cli.stdout(`${entry}  by UPSTREAM_ALLOW_ADDRESSES`);
      for (const { entry, addresses: named, added, servers } of addresses.added) {
        const at = named.length === 0 ? '' : ` (${named.join(', ')})`;
        const use = servers.length === 0 ? '' : `  for ${servers.join(', ')}`;
        cli.stdout(`${entry}${at}  added ${added.at.slice(0, 16)} by ${added.by ?? 'a command'}${use}`);
      }
      for (const { form, added, isShadowed } of packages.added) {
        const use = isShadowed ? '  not used: your list has this alias' : '';
        cli.stdout(
          `${form.alias}  ${form.package}, network ${form.network}  added ${added.at.slice(0, 16)} by ${added.by ?? 'a command'}${use}`,
        );
      }
      if (!packages.mayAdd)
        cli.stdout('Administrators may add no packages: ADMIN_MAY_ALLOW does not have packages, or STDIO is off');
      if (!addresses.mayAdd) cli.stdout('Administrators may add no addresses: ADMIN_MAY_ALLOW does not have addresses');
    },
  },
  {
    name: 'allow address',
    summary: 'lets servers use an address of a private network, as administrators do in the browser',
    usage: 'allow address HOST:PORT [--note TEXT]',
    options: { note: { type: 'string' } },
    argument: 'ENTRY',
    help: [['--note TEXT', 'what it is for']],
    async run(values, cli) {
      const args = {
        entry: entryOf(values['ENTRY']),
        ...(typeof values['note'] === 'string' && { note: values['note'] }),
      };
      const { entry } = entrySchema.parse(await ask(cli, 'allow.address', args));
      cli.stdout(`${entry} is allowed`);
    },
  },
  {
    name: 'allow remove-address',
    summary: 'takes an address off again that was added; connections to it end',
    usage: 'allow remove-address HOST:PORT',
    options: {},
    argument: 'ENTRY',
    help: [],
    async run(values, cli) {
      const { entry } = entrySchema.parse(await ask(cli, 'allow.remove-address', { entry: entryOf(values['ENTRY']) }));
      cli.stdout(`${entry} is not allowed any more`);
    },
  },
  {
    name: 'allow package',
    summary:
      'lets manifests start a package of npm, as administrators do in the browser: shows it first, then allows it',
    usage:
      'allow package ALIAS PACKAGE@VERSION [--network N] [--bin B] [--secrets A,B] [--env JSON] [--shown C] [-- ARGUMENT…]',
    options: {
      network: { type: 'string' },
      bin: { type: 'string' },
      secrets: { type: 'string' },
      env: { type: 'string' },
      shown: { type: 'string' },
    },
    argument: 'ALIAS',
    takesMany: true,
    help: [
      ['ALIAS', 'by which manifests start it: "command": "ALIAS"'],
      ['PACKAGE@VERSION', 'at an exact version, such as @scope/name@1.2.3'],
      ['ARGUMENT…', 'arguments of the program, behind --'],
      ['--network N', 'none, which is the default, or public'],
      ['--bin B', 'which command of the package, when it has several'],
      ['--secrets A,B', 'names of variables whose values are entered for the server'],
      ['--env JSON', 'other variables: \'{"SITE":"example.com"}\''],
      ['--shown C', 'printed without it: nothing is allowed if the package has changed since you read it'],
    ],
    async run(values, cli, positionals) {
      const form = formOf(values, positionals);
      if (typeof values['shown'] === 'string') {
        const answer = await ask(cli, 'allow.package', { form, code: values['shown'] }, lookUpMs);
        return cli.stdout(`${z.object({ alias: z.string() }).parse(answer).alias} is allowed: manifests can start it`);
      }
      const shown = packageShownSchema.parse(await ask(cli, 'allow.preview-package', { form }, lookUpMs));
      const others = shown.comesWith === 1 ? '1 other package' : `${shown.comesWith} other packages`;
      cli.stdout(`${form.package}  ${shown.integrity}  with ${others}, network ${form.network}`);
      return cli.stdout(`Allow it by the same command with --shown ${shown.code} (before --)`);
    },
  },
  {
    name: 'allow remove-package',
    summary: 'takes an npm package off again that an administrator added; its processes end',
    usage: 'allow remove-package ALIAS',
    options: {},
    argument: 'ALIAS',
    help: [],
    async run(values, cli) {
      if (typeof values['ALIAS'] !== 'string') throw new UsageError('Name an alias, as allow list prints it');
      const answer = await ask(cli, 'allow.remove-package', { alias: values['ALIAS'] });
      cli.stdout(`${z.object({ alias: z.string() }).parse(answer).alias} is not started any more`);
    },
  },
];

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

/** The broker checks names and values. @throws UsageError */
function variablesOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--env must be JSON, such as \'{"SITE":"example.com"}\'');
  }
}
