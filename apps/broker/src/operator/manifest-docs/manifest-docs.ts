import { fieldMeanings } from '@souk/contract/manifest/manifest-fields.ts';
import { manifestSchema } from '@souk/contract/manifest/manifest.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { z } from 'zod';
import { asRecord, isRecord } from '#platform/json.ts';
import { authenticationExamples, priceExamples, transportExamples, type ManifestExample } from './manifest-examples.ts';

type Json = Record<string, unknown>;

type Row = { path: string; form: string; isRequired: boolean; fallback: unknown };

/** Writes docs/manifests.md from the schema of manifests. @throws Error for a field without a meaning */
export function manifestDocs(): string {
  const schema = asRecord(z.toJSONSchema(manifestSchema, { io: 'input', unrepresentable: 'any' })) ?? {};
  const rows = rowsOf(schema, '');
  const known = new Set(rows.map(({ path }) => path));
  const unknown = Object.keys(fieldMeanings).filter((path) => !known.has(path));
  if (unknown.length > 0) throw new Error(`no field of the schema: ${unknown.join(', ')}`);
  return [
    '# Manifests',
    '',
    '<!-- npm run manifest-docs writes this page from the schema. -->',
    '',
    'A manifest is a JSON file that describes a server and how Souk reaches it. The running broker needs no restart for these commands:',
    '',
    '- `npm run souk -- manifest check FILE` prints every problem with its field: first invalid fields, then addresses and programs that are not allowed. It asks the broker of `DATA_DIR`; if none runs, it uses the variables of its own environment.',
    '- `manifest test FILE` connects to the server and prints what a deployment would run into.',
    '- `manifest deploy FILE` makes the manifest live; `manifest stage FILE` stages it and leaves the live version unchanged.',
    '- `manifest undeploy ID` removes the live version; `manifest delete ID` also removes the staged one.',
    '- `manifest list`, `manifest versions ID`, `manifest show ID` and `manifest diff ID` show the manifests, their changes, and what a deployment would change for whom.',
    '- `manifest approve ID` approves changed tools.',
    "- `manifest import FILE` turns a client's configuration (`mcpServers`) into manifests.",
    '',
    'The files of `CATALOGUE_DIR` are deployed at each start; `BUNDLED_CATALOGUE=off` skips the bundled ones. Removing a file does not',
    'undeploy its server. Rentals of an undeployed server are not renewed: they end with the paid period, and `manifest undeploy` prints how',
    'many users have one. Users can resume their rental when the server is deployed again.',
    '',
    '## Fields',
    '',
    '| field | form | default | meaning |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ path, form, isRequired, fallback }) =>
        `| \`${path}\` | ${form} | ${leftOut[path] ?? (isRequired ? sayRequired(path) : sayDefault(fallback))} | ${meaningOf(path)} |`,
    ),
    '',
    'A manifest may also have the other fields that the list of manifests returns (`isActive`, `capabilities`, `status` and others). They are',
    'ignored.',
    '',
    '## Transports',
    '',
    ...transportExamples.flatMap(section),
    '## Authentication',
    '',
    ...authenticationExamples.flatMap(section),
    '## Prices',
    '',
    'The tier is the badge on the card. It decides who may use the service without renting it:',
    '',
    ...tierLines(),
    '',
    ...priceExamples.flatMap(section),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

/** Defaults that the schema does not contain. */
const leftOut: Readonly<Record<string, string>> = {
  version: '`"1.0.0"`',
  description: 'the name',
  category: 'the `serviceType` if it is a category, else `"api"`',
  toolChanges: '`"text-only"`',
  isolation: '`"perUser"` for a program, a demo service, and a sign-in or secrets per user, else `"shared"`',
};

const tierLines = (): string[] =>
  Object.entries(tiers).map(([tier, { name, level }]) =>
    level === 0
      ? `- \`${tier}\`, ${name}: everyone who is signed in.`
      : `- \`${tier}\`, ${name}: users with a plan of this tier or a higher one.`,
  );

function section({ title, text, manifest }: ManifestExample): string[] {
  return [`### ${title}`, '', text, '', '```json', JSON.stringify(manifest, null, 2), '```', ''];
}

function meaningOf(path: string): string {
  const meaning = fieldMeanings[path];
  if (meaning === undefined) throw new Error(`the field ${path} of the manifest has no meaning in manifest-fields.ts`);
  return meaning;
}

/** Names the optional block with which a field is required. */
const sayRequired = (path: string) =>
  path.includes('.') && !path.startsWith('connection.')
    ? `required in \`${path.slice(0, path.lastIndexOf('.'))}\``
    : '**required**';

const sayDefault = (value: unknown) => (value === undefined || isRecord(value) ? '' : `\`${JSON.stringify(value)}\``);

/** Returns one row for each field with a value. A field with several forms gets one row with all of them. */
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

/** Merges the rows of variants. A field is required only if every variant requires it. */
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
