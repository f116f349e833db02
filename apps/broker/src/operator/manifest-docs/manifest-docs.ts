import { fieldMeanings } from '@souk/contract/manifest/manifest-fields.ts';
import { manifestSchema } from '@souk/contract/manifest/manifest.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { z } from 'zod';
import { asRecord, isRecord } from '#platform/json.ts';
import { authenticationExamples, priceExamples, transportExamples, type ManifestExample } from './manifest-examples.ts';

type Json = Record<string, unknown>;

type Row = { path: string; form: string; isRequired: boolean; fallback: unknown };

/** docs/manifests.md, made from the schema of manifests. @throws Error for a field without a meaning */
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
    'A manifest is a JSON file that says what a server is and how Souk reaches it. `npm run souk -- manifest check FILE` names every',
    'problem with its field (first those of the form, then those of addresses and programs), by the variables of its own environment:',
    'give it the `DATA_DIR` of the broker to ask that one. `manifest test FILE` connects to its server and says what a deployment would meet, `manifest deploy FILE`',
    'makes it live at once, `manifest stage FILE` puts it beside what is live, `manifest undeploy ID` takes it out, `manifest delete ID`',
    'takes out what is staged too. `manifest list`, `manifest versions ID`, `manifest show ID` and `manifest diff ID` show what there is,',
    'what has changed, and what a deployment does to whom. `manifest approve ID` trusts changed tools, and',
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
        `| \`${path}\` | ${form} | ${leftOut[path] ?? (isRequired ? sayRequired(path) : sayDefault(fallback))} | ${meaningOf(path)} |`,
    ),
    '',
    'What the list of manifests answers beside these fields (`isActive`, `capabilities`, `status` and others) may stand in a manifest, and',
    'is left out.',
    '',
    '## Transports',
    '',
    ...transportExamples.flatMap(section),
    '## Authentication',
    '',
    ...authenticationExamples.flatMap(section),
    '## Prices',
    '',
    'The tier is the badge on the card, and says who may use the service without renting it:',
    '',
    ...tierLines(),
    '',
    ...priceExamples.flatMap(section),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

/** These values stand in the place of fields that are left out, where the schema does not say it. */
const leftOut: Readonly<Record<string, string>> = {
  version: '`"1.0.0"`',
  description: 'the name',
  category: 'the `serviceType` where it is one, else `"api"`',
  toolChanges: '`"text-only"`',
  isolation: '`"perUser"` for a program, a demo service and a sign-in or secrets of each person, else `"shared"`',
};

const tierLines = (): string[] =>
  Object.entries(tiers).map(([tier, { name, level }]) =>
    level === 0
      ? `- \`${tier}\`, ${name}: everyone who is signed in.`
      : `- \`${tier}\`, ${name}: people with the plan of this tier, or of a higher one.`,
  );

function section({ title, text, manifest }: ManifestExample): string[] {
  return [`### ${title}`, '', text, '', '```json', JSON.stringify(manifest, null, 2), '```', ''];
}

function meaningOf(path: string): string {
  const meaning = fieldMeanings[path];
  if (meaning === undefined) throw new Error(`the field ${path} of the manifest has no meaning in manifest-fields.ts`);
  return meaning;
}

/** A field of an optional block is only required with it. */
const sayRequired = (path: string) =>
  path.includes('.') && !path.startsWith('connection.')
    ? `required in \`${path.slice(0, path.lastIndexOf('.'))}\``
    : '**required**';

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
