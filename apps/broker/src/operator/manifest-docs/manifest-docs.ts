import { manifestSchema } from '@souk/contract/manifest.ts';
import { z } from 'zod';
import { asRecord, isRecord } from '#platform/json.ts';
import { authenticationExamples, transportExamples, type ManifestExample } from './manifest-examples.ts';

type Json = Record<string, unknown>;

/** What each field is for. Their names, forms and limits come from the schema; a field without a line here is an error. */
const meanings: Readonly<Record<string, string>> = {
  id: "The server's name in addresses and commands; never changes.",
  name: 'What people see.',
  serviceType: '`mcp` for an ordinary server.',
  version: 'Raise it with each change: a known version is never replaced.',
  author: 'Who made the server.',
  description: 'What people read in the shop.',
  icon: 'An https address, or a path on our own origin.',
  registryName: 'Its name in a public registry.',
  slug: "The first part of its tools' names on `/mcp`; by default made of the id.",
  category: 'Its place in the shop.',
  featured: 'Its place on the home page: 1 stands first. Servers without it follow, the most used first.',
  'connection.type': 'How it is reached.',
  'connection.url': 'Its address, or `service:<name>`.',
  'connection.command': 'An alias of the allow-list of programs.',
  isolation: 'One upstream connection for everyone, or one for each person.',
  asks: 'What it may ask a client, where it lists the tools that ask only to clients that can answer.',
  'auth.type': 'How Souk authenticates there.',
  'auth.clientId': 'Our client at the authorization server, where it registers none.',
  'auth.scopes': 'What to ask for; by default what the server says.',
  'auth.headers[].name': 'The name of the header.',
  'auth.headers[].from': 'Whose secret it is.',
  'auth.headers[].description': 'What people are told when they enter theirs.',
  'capabilitySnapshot.tools': 'Shown until the server was asked, for servers that answer nothing before a sign-in.',
  'capabilitySnapshot.prompts': 'The same for prompts.',
  'capabilitySnapshot.resources': 'The same for resources.',
  'deadlines.connectMs': 'To connect.',
  'deadlines.listMs': 'For a list.',
  'deadlines.callMs': 'For a call; progress extends it.',
  maxInFlight: 'Calls at once, of all people.',
  toolChanges: '`text-only` accepts new texts of tools; `strict` puts every change under review.',
  'billing.tier': 'The plan that includes it.',
  'billing.rental.price': 'Cents a month.',
  'billing.rental.currency': 'Three letters.',
  'billing.rental.name': 'On the invoice.',
  'billing.rental.description': 'On the invoice.',
  'billing.toolCosts': 'Credits a call, by tool.',
  'billing.trialDays': 'Days of a trial.',
  'billing.chargeOnErrors': 'Charge calls that answer with an error too.',
  features: 'Short points for the shop.',
};

type Row = { path: string; form: string; isRequired: boolean; fallback: unknown };

/** docs/manifests.md, made from the schema of manifests. @throws Error for a field without a meaning */
export function manifestDocs(): string {
  const schema = asRecord(z.toJSONSchema(manifestSchema, { io: 'input', unrepresentable: 'any' })) ?? {};
  const rows = rowsOf(schema, '');
  const known = new Set(rows.map(({ path }) => path));
  const unknown = Object.keys(meanings).filter((path) => !known.has(path));
  if (unknown.length > 0) throw new Error(`no field of the schema: ${unknown.join(', ')}`);
  return [
    '# Manifests',
    '',
    '<!-- npm run manifest-docs writes this page from the schema. -->',
    '',
    'A manifest is a JSON file that says what a server is and how Souk reaches it. `npm run souk -- manifest check FILE` names every',
    'problem with its field, `manifest deploy FILE` makes it live at once, `manifest undeploy ID` takes it out, `manifest list` and',
    '`manifest diff ID` show what there is and what has changed, `manifest approve ID` trusts changed tools, and',
    "`manifest import FILE` makes manifests of a client's configuration (`mcpServers`). The running broker needs no restart.",
    'The files of `CATALOGUE_DIR` are deployed at each start; `BUNDLED_CATALOGUE=off` leaves the bundled ones out. Removing a file',
    'undeploys nothing. Rentals of a server that was undeployed are not renewed: they end with the period that is paid, the command says',
    'how many people rent it, and a person may resume the rental once the server is deployed again.',
    '',
    '## Fields',
    '',
    '| field | form | default | meaning |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ path, form, isRequired, fallback }) =>
        `| \`${path}\` | ${form} | ${isRequired ? sayRequired(path) : sayDefault(fallback)} | ${meaningOf(path)} |`,
    ),
    '',
    '## Transports',
    '',
    ...transportExamples.flatMap(section),
    '## Authentication',
    '',
    ...authenticationExamples.flatMap(section),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function section({ title, text, manifest }: ManifestExample): string[] {
  return [`### ${title}`, '', text, '', '```json', JSON.stringify(manifest, null, 2), '```', ''];
}

function meaningOf(path: string): string {
  const meaning = meanings[path];
  if (meaning === undefined) throw new Error(`the field ${path} of the manifest has no meaning in manifest-docs.ts`);
  return meaning;
}

/** A field of an optional block is only required with it. */
const sayRequired = (path: string) =>
  path.includes('.') && !path.startsWith('connection.') ? `required in \`${path.split('.')[0]}\`` : '**required**';

const sayDefault = (value: unknown) => (value === undefined || isRecord(value) ? '' : `\`${JSON.stringify(value)}\``);

/** One row for each field that holds a value; a field that has several forms appears once, with all of them. */
function rowsOf(schema: Json, path: string): Row[] {
  const variants = listOf(schema['oneOf'] ?? schema['anyOf']);
  if (variants.length > 0)
    return merge(
      variants.flatMap((variant) => rowsOf(variant, path)),
      variants.length,
    );
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(asRecord(schema['properties']) ?? {}).flatMap(([name, value]) => {
    const field = asRecord(value) ?? {};
    const at = path === '' ? name : `${path}.${name}`;
    const isRequired = required.includes(name);
    const items = asRecord(field['items']);
    if (items && !at.startsWith('capabilitySnapshot') && items['properties']) return rowsOf(items, `${at}[]`);
    if (field['properties'] || field['oneOf'] || field['anyOf']) return rowsOf(field, at);
    return [{ path: at, form: formOf(field), isRequired, fallback: field['default'] }];
  });
}

/** A field that not every variant has is not required by all. */
function merge(rows: readonly Row[], variants: number): Row[] {
  return [...Map.groupBy(rows, ({ path }) => path)].map(([path, same]) => ({
    path,
    form: [...new Set(same.map(({ form }) => form))].join(' or '),
    isRequired: same.every(({ isRequired }) => isRequired) && same.length === variants,
    fallback: same[0]?.fallback,
  }));
}

function formOf(field: Json): string {
  const { type, const: constant, enum: values, minimum, maximum, maxLength, maxItems, pattern } = field;
  if (constant !== undefined) return `\`${String(constant)}\``;
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (type === 'integer') return `${String(minimum)} to ${String(maximum)}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'array') return `list${typeof maxItems === 'number' ? `, at most ${maxItems}` : ''}`;
  if (type === 'object') return 'object';
  if (typeof pattern === 'string') return `\`${pattern.replaceAll('|', '\\|')}\``;
  return `text${typeof maxLength === 'number' ? `, at most ${maxLength}` : ''}`;
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);
