import { officialRegistry } from '@souk/contract/catalogue/registries.ts';
import {
  foundServersSchema,
  importedSchema,
  registriesSchema,
  updatesSchema,
  type ImportedOfRegistry,
} from '#operator/commands/import-commands.ts';
import {
  answeredCommand,
  askBrokerOrRun,
  flag,
  required,
  text,
  UsageError,
  type CliOptions,
  type Command,
} from './command.ts';
import { plain } from './printable.ts';

const registryHelp = ['--registry R', 'its name or address; needed if there are several'] as const;
const namedHelp = ['REGISTRY', 'its name or address'] as const;
/** Time for five pages of a slow registry, or for a package registry that does not answer. */
const timeoutMs = 90_000;

/** `souk registry …`: registries and imports, as on the administrators' screen. */
export const registryCliCommands: readonly Command[] = [
  answeredCommand({
    name: 'registry list',
    summary: 'lists the registries from which servers are imported',
    command: 'registry.list',
    answer: registriesSchema,
    print({ registries }, stdout) {
      for (const { name, url, servers } of registries) stdout(plain(`${name}  ${url}  ${servers} imported`));
      if (registries.length === 0)
        stdout(`There is no registry. Add one: npm run souk -- registry add ${officialRegistry.url}`);
    },
  }),
  answeredCommand({
    name: 'registry add',
    summary: 'adds a registry by its address, without contacting it yet',
    usage: 'registry add URL [--name N] [--json]',
    options: { name: text },
    argument: 'URL',
    help: [
      ['URL', `the part before /v0.1/servers, such as ${officialRegistry.url}`],
      ['--name N', 'by default its host'],
    ],
    command: 'registry.add',
    answer: registriesSchema,
    args(values) {
      const url = required(values, 'URL', 'registry add');
      return { name: typeof values.name === 'string' ? values.name : (URL.parse(url)?.host ?? url), url };
    },
    print({ registries }, stdout) {
      for (const { name } of registries) stdout(plain(`Added ${name}.`));
    },
  }),
  answeredCommand({
    name: 'registry rename',
    summary: 'gives a registry another name',
    usage: 'registry rename REGISTRY --name N [--json]',
    options: { name: text },
    argument: 'REGISTRY',
    help: [namedHelp, ['--name N', 'the new name']],
    command: 'registry.rename',
    answer: registriesSchema,
    args: (values) => ({
      registry: required(values, 'REGISTRY', 'registry rename'),
      name: required(values, 'name', 'registry rename'),
    }),
    print: (_answer, stdout, { values }) => stdout(plain(`Renamed ${values['REGISTRY']} to ${values['name']}.`)),
  }),
  answeredCommand({
    name: 'registry remove',
    summary: 'removes a registry; servers that were imported from it stay',
    usage: 'registry remove REGISTRY [--json]',
    argument: 'REGISTRY',
    help: [namedHelp],
    command: 'registry.remove',
    answer: registriesSchema,
    args: (values) => ({ registry: required(values, 'REGISTRY', 'registry remove') }),
    print: (_answer, stdout, { values }) => stdout(plain(`Removed ${values['REGISTRY']}.`)),
  }),
  answeredCommand({
    name: 'registry search',
    summary: 'searches a registry, and shows which servers can be imported',
    usage: 'registry search [WORDS] [--registry R] [--importable] [--cursor C] [--json]',
    options: { registry: text, importable: flag, cursor: text },
    argument: 'WORDS',
    help: [
      ['WORDS', 'a part of the name'],
      registryHelp,
      ['--importable', 'leave out servers that cannot be imported'],
      ['--cursor C', 'the cursor that the previous page printed'],
    ],
    command: 'registry.search',
    answer: foundServersSchema,
    args: async ({ json: _json, WORDS: search, registry, ...more }, _positionals, cli) => ({
      registry: await chosen(registry, cli),
      ...(search !== undefined && { search }),
      ...more,
    }),
    print({ servers, nextCursor }, stdout) {
      for (const { name, version, kinds, status, notImportable, imported } of servers) {
        const marks = [
          ...(kinds.length === 0 ? [] : [kinds.join(', ')]),
          ...(status === 'active' ? [] : [status]),
          ...(imported ? [`here as ${imported.id}`] : []),
        ];
        stdout(plain(`${name} ${version}${marks.length === 0 ? '' : `  (${marks.join('; ')})`}`));
        if (notImportable !== null) stdout(`  cannot be imported: ${plain(notImportable)}`);
      }
      if (servers.length === 0) stdout('Nothing was found.');
      if (nextCursor !== null) stdout(plain(`There are more: --cursor '${nextCursor}'`));
    },
    timeoutMs,
  }),
  answeredCommand({
    name: 'registry import',
    summary: 'stages servers of a registry; live versions stay until the new ones are deployed',
    usage: 'registry import NAME[@VERSION]… [--registry R] [--reason R] [--json]',
    options: { registry: text, reason: text },
    argument: 'NAME',
    takesMany: true,
    help: [
      ['NAME', 'the name in the registry, such as io.github.owner/name; by default its newest version'],
      registryHelp,
      ['--reason R', 'for the audit log'],
      ['', 'exits with 1 if a server was not staged'],
    ],
    command: 'registry.import',
    answer: importedSchema,
    async args({ registry, reason }, names, cli) {
      if (names.length === 0) throw new UsageError('NAME is required. See: npm run souk -- registry import --help');
      const servers = names.map((name) => {
        const at = name.lastIndexOf('@');
        return at > 0 ? { name: name.slice(0, at), version: name.slice(at + 1) } : { name, version: 'latest' };
      });
      return { registry: await chosen(registry, cli), servers, ...(reason !== undefined && { reason }) };
    },
    print({ servers }, stdout) {
      for (const server of servers) printImported(server, stdout);
    },
    timeoutMs,
    hasFailed: ({ servers }) => servers.some(({ staged, result }) => staged === undefined && result !== 'unchanged'),
  }),
  answeredCommand({
    name: 'registry updates',
    summary: 'asks the registries of imported servers for new versions',
    command: 'registry.updates',
    answer: updatesSchema,
    print({ updates, failures, followed }, stdout, { stderr }) {
      for (const { id, from, to, status, registryName } of updates) {
        const what = status === 'active' ? `${from} -> ${to}` : `${from}: ${status} there`;
        stdout(plain(`${id}  ${what}  (${registryName})`));
      }
      if (updates.length === 0) stdout(`No new version of ${followed} imported servers.`);
      for (const failure of failures) stderr(plain(failure));
    },
    timeoutMs,
  }),
];

/** Returns the registry that is named, or the only one. @throws UsageError */
async function chosen(named: unknown, cli: CliOptions): Promise<string> {
  if (typeof named === 'string') return named;
  const { registries } = await askBrokerOrRun(cli, registriesSchema, 'registry.list', {});
  const [only] = registries;
  if (only && registries.length === 1) return only.id;
  throw new UsageError(
    only
      ? 'there are several registries: name one with --registry'
      : `there is no registry. Add one: npm run souk -- registry add ${officialRegistry.url}`,
  );
}

function printImported(server: ImportedOfRegistry['servers'][number], stdout: CliOptions['stdout']): void {
  const { name, result, id, staged, reason, failure, notes, secrets, allowlist, changes = [] } = server;
  const notStaged = result === 'unchanged' ? 'here already' : 'not staged';
  stdout(plain(`${name}: ${staged === undefined ? notStaged : `staged as ${id} ${staged}`}`));
  for (const line of [reason, failure, ...changes, ...notes]) if (line !== undefined) stdout(`  ${plain(line)}`);
  if (secrets.length > 0) {
    stdout(
      `  Give the broker its secrets: ${secrets.map(({ variable }) => variable).join(', ')} (or each with _FILE), and restart it.`,
    );
  }
  if (allowlist !== undefined) for (const line of allowlist.split('\n')) stdout(`    ${plain(line)}`);
  if (staged !== undefined) stdout(`  Deploy it with: npm run souk -- manifest deploy ${id}`);
}
