import { officialRegistry } from '@souk/contract/catalogue/registries.ts';
import {
  foundServersSchema,
  importedSchema,
  registriesSchema,
  updatesSchema,
  type ImportedOfRegistry,
} from '#operator/commands/import-commands.ts';
import { askBrokerOrRun, ReportedError, required, UsageError, type Command } from './command.ts';
import { plain } from './printable.ts';

const json = { json: { type: 'boolean' } } as const;
const jsonHelp = ['--json', 'print the answer as JSON'] as const satisfies [string, string];
const ofRegistry = { registry: { type: 'string' } } as const;
const registryHelp = ['--registry R', 'its name or address; needed where there are several'] as const satisfies [
  string,
  string,
];
/** Five pages of a slow registry, or a package registry that does not answer. */
const registryTimeoutMs = 90_000;

/** `souk registry …`: what the administrators' import does. */
export const registryCliCommands: readonly Command[] = [
  {
    name: 'registry list',
    summary: 'lists the registries from which servers are imported',
    usage: 'registry list [--json]',
    options: json,
    help: [jsonHelp],
    async run(values, cli) {
      const answer = registriesSchema.parse(await askBrokerOrRun(cli, 'registry.list', {}));
      if (values.json === true) return cli.stdout(JSON.stringify(answer));
      for (const { name, url, servers } of answer.registries) cli.stdout(plain(`${name}  ${url}  ${servers} imported`));
      if (answer.registries.length === 0) {
        cli.stdout(`There is none. Add one: npm run souk -- registry add ${officialRegistry.url}`);
      }
    },
  },
  {
    name: 'registry add',
    summary: 'adds a registry by its address; nothing is asked of it yet',
    usage: 'registry add URL [--name N] [--json]',
    options: { ...json, name: { type: 'string' } },
    argument: 'URL',
    help: [
      ['URL', `before /v0.1/servers, such as ${officialRegistry.url}`],
      ['--name N', 'by default its host'],
      jsonHelp,
    ],
    async run(values, cli) {
      const url = required(values, 'URL', 'registry add');
      const name = typeof values.name === 'string' ? values.name : (URL.parse(url)?.host ?? url);
      const answer = registriesSchema.parse(await askBrokerOrRun(cli, 'registry.add', { name, url }));
      if (values.json === true) cli.stdout(JSON.stringify(answer));
      else cli.stdout(plain(`Added ${name}.`));
    },
  },
  {
    name: 'registry rename',
    summary: 'gives a registry another name',
    usage: 'registry rename REGISTRY --name N [--json]',
    options: { ...json, name: { type: 'string' } },
    argument: 'REGISTRY',
    help: [['REGISTRY', 'its name or address'], ['--name N', 'the new name'], jsonHelp],
    async run(values, cli) {
      const named = required(values, 'REGISTRY', 'registry rename');
      const name = required(values, 'name', 'registry rename');
      const answer = registriesSchema.parse(await askBrokerOrRun(cli, 'registry.rename', { registry: named, name }));
      if (values.json === true) cli.stdout(JSON.stringify(answer));
      else cli.stdout(plain(`Renamed ${named} to ${name}.`));
    },
  },
  {
    name: 'registry remove',
    summary: 'removes a registry; servers that came from it stay',
    usage: 'registry remove REGISTRY [--json]',
    options: json,
    argument: 'REGISTRY',
    help: [['REGISTRY', 'its name or address'], jsonHelp],
    async run(values, cli) {
      const named = required(values, 'REGISTRY', 'registry remove');
      const answer = registriesSchema.parse(await askBrokerOrRun(cli, 'registry.remove', { registry: named }));
      if (values.json === true) cli.stdout(JSON.stringify(answer));
      else cli.stdout(plain(`Removed ${named}.`));
    },
  },
  {
    name: 'registry search',
    summary: 'searches a registry, and says which servers can be imported',
    usage: 'registry search [WORDS] [--registry R] [--importable] [--cursor C] [--json]',
    options: { ...json, ...ofRegistry, importable: { type: 'boolean' }, cursor: { type: 'string' } },
    argument: 'WORDS',
    help: [
      ['WORDS', 'a part of the name'],
      registryHelp,
      ['--importable', 'leave out those that cannot be imported'],
      ['--cursor C', 'the next page, as the last one named it'],
      jsonHelp,
    ],
    async run({ json: asJson, WORDS: search, registry, ...more }, cli) {
      const args = { registry: await chosen(registry, cli), ...(search !== undefined && { search }), ...more };
      const answer = foundServersSchema.parse(await askBrokerOrRun(cli, 'registry.search', args, registryTimeoutMs));
      if (asJson === true) return cli.stdout(JSON.stringify(answer));
      for (const { name, version, kinds, status, notImportable, imported } of answer.servers) {
        const marks = [
          ...(kinds.length === 0 ? [] : [kinds.join(', ')]),
          ...(status === 'active' ? [] : [status]),
          ...(imported ? [`here as ${imported.id}`] : []),
        ];
        cli.stdout(plain(`${name} ${version}${marks.length === 0 ? '' : `  (${marks.join('; ')})`}`));
        if (notImportable !== null) cli.stdout(`  cannot be imported: ${plain(notImportable)}`);
      }
      if (answer.servers.length === 0) cli.stdout('Nothing was found.');
      if (answer.nextCursor !== null) cli.stdout(plain(`There are more: --cursor '${answer.nextCursor}'`));
    },
  },
  {
    name: 'registry import',
    summary: 'stages servers of a registry; what is live stays until they are deployed',
    usage: 'registry import NAME[@VERSION]… [--registry R] [--reason R] [--json]',
    options: { ...json, ...ofRegistry, reason: { type: 'string' } },
    argument: 'NAME',
    takesMany: true,
    help: [
      ['NAME', 'as the registry has it, such as io.github.owner/name; without a version the newest one'],
      registryHelp,
      ['--reason R', 'for the audit log'],
      jsonHelp,
      ['', 'exits with 1 when one was not staged'],
    ],
    async run({ json: asJson, registry, reason }, cli, names) {
      if (names.length === 0) throw new UsageError('NAME is required. See: npm run souk -- registry import --help');
      const servers = names.map((text) => {
        const at = text.lastIndexOf('@');
        return at > 0 ? { name: text.slice(0, at), version: text.slice(at + 1) } : { name: text, version: 'latest' };
      });
      const args = { registry: await chosen(registry, cli), servers, ...(reason !== undefined && { reason }) };
      const answer = importedSchema.parse(await askBrokerOrRun(cli, 'registry.import', args, registryTimeoutMs));
      if (asJson === true) cli.stdout(JSON.stringify(answer));
      else for (const server of answer.servers) printImported(server, cli.stdout);
      if (answer.servers.some(({ staged, result }) => staged === undefined && result !== 'unchanged'))
        throw new ReportedError();
    },
  },
  {
    name: 'registry updates',
    summary: 'asks the registries of imported servers for new versions',
    usage: 'registry updates [--json]',
    options: json,
    help: [jsonHelp],
    async run(values, cli) {
      const answer = updatesSchema.parse(await askBrokerOrRun(cli, 'registry.updates', {}, registryTimeoutMs));
      if (values.json === true) return cli.stdout(JSON.stringify(answer));
      for (const { id, from, to, status, registryName } of answer.updates) {
        const what = status === 'active' ? `${from} -> ${to}` : `${from}: ${status} there`;
        cli.stdout(plain(`${id}  ${what}  (${registryName})`));
      }
      if (answer.updates.length === 0) cli.stdout(`No new version of ${answer.followed} imported servers.`);
      for (const failure of answer.failures) cli.stderr(plain(failure));
    },
  },
];

/** The registry that is named, or the only one. */
async function chosen(named: unknown, cli: Parameters<Command['run']>[1]): Promise<string> {
  if (typeof named === 'string') return named;
  const { registries } = registriesSchema.parse(await askBrokerOrRun(cli, 'registry.list', {}));
  const [only] = registries;
  if (only && registries.length === 1) return only.id;
  throw new UsageError(
    only
      ? 'there are several registries: name one with --registry'
      : `there is no registry. Add one: npm run souk -- registry add ${officialRegistry.url}`,
  );
}

function printImported(server: ImportedOfRegistry['servers'][number], stdout: (line: string) => void): void {
  const { name, result, id, staged, reason, failure, notes, secrets, allowlist, changes = [] } = server;
  stdout(
    plain(
      staged === undefined
        ? `${name}: ${result === 'unchanged' ? 'here already' : 'not staged'}`
        : `${name}: staged as ${id} ${staged}`,
    ),
  );
  for (const line of [reason, failure, ...changes, ...notes]) if (line !== undefined) stdout(`  ${plain(line)}`);
  if (secrets.length > 0) {
    stdout(
      `  Give the broker its secrets: ${secrets.map(({ variable }) => variable).join(', ')} (or each with _FILE), and restart it.`,
    );
  }
  if (allowlist !== undefined) for (const line of allowlist.split('\n')) stdout(`    ${plain(line)}`);
  if (staged !== undefined) stdout(`  Deploy it with: npm run souk -- manifest deploy ${id}`);
}
