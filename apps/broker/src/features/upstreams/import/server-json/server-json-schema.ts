import { z } from 'zod';
import { asRecord } from '#platform/json.ts';

// server.json in the schemas 2025-07-09 to 2025-12-11, with only the fields that are read.

/** A value; some are published as numbers or booleans. */
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const inputFields = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.string().optional(),
  value: text.optional(),
  default: text.optional(),
  placeholder: z.string().optional(),
  choices: z.array(text).optional(),
};
const variables = z.record(z.string(), z.object(inputFields)).optional();

export const inputSchema = z.object({ ...inputFields, variables });
export type Input = z.output<typeof inputSchema>;

const keyValue = inputSchema.extend({ name: z.string() });
export type KeyValue = z.output<typeof keyValue>;

const argument = inputSchema.extend({
  type: z.enum(['positional', 'named']).optional(),
  name: z.string().optional(),
  valueHint: z.string().optional(),
  isRepeated: z.boolean().optional(),
});
export type Argument = z.output<typeof argument>;

const transport = z.object({ type: z.string(), url: z.string().optional() });

const packageSchema = z.object({
  registryType: z.string(),
  identifier: z.string().min(1).max(2048),
  version: z.string().max(255).optional(),
  runtimeHint: z.string().optional(),
  transport: transport.optional(),
  runtimeArguments: z.array(argument).max(100).default([]),
  packageArguments: z.array(argument).max(100).default([]),
  environmentVariables: z.array(keyValue).max(100).default([]),
});
export type Package = z.output<typeof packageSchema>;

const remote = z.object({
  type: z.string(),
  url: z.string().max(2048),
  headers: z.array(keyValue).max(50).default([]),
  variables,
});
export type Remote = z.output<typeof remote>;

export const serverDocument = z.object({
  name: z.string().min(1).max(200),
  title: z.string().optional(),
  description: z.string().optional(),
  version: z.string().max(255).optional(),
  status: z.string().optional(),
  icons: z.array(z.object({ src: z.string(), mimeType: z.string().optional() })).optional(),
  packages: z.array(packageSchema).max(50).default([]),
  remotes: z.array(remote).max(50).default([]),
});
export type ServerDocument = z.output<typeof serverDocument>;

/** Names of fields in the schemas up to 2025-07-09. */
const formerNames: Readonly<Record<string, string>> = {
  registry_type: 'registryType',
  registry_name: 'registryType',
  runtime_hint: 'runtimeHint',
  runtime_arguments: 'runtimeArguments',
  package_arguments: 'packageArguments',
  environment_variables: 'environmentVariables',
  is_required: 'isRequired',
  is_secret: 'isSecret',
  is_repeated: 'isRepeated',
  value_hint: 'valueHint',
  transport_type: 'type',
};

/** Returns the document with current names and without nulls: registries in Go write null for empty lists. */
export function withCurrentNames(document: Record<string, unknown>): unknown {
  const { version_detail: detail, ...rest } = document;
  const renamed = rename(rest);
  const version = asRecord(detail)?.['version'];
  return version === undefined ? renamed : { version, ...Object(renamed) };
}

function rename(value: unknown, isOfVariables = false): unknown {
  if (Array.isArray(value)) return value.map((one) => rename(one));
  const record = asRecord(value);
  if (!record) return value;
  const entries = Object.entries(record)
    .filter(([, member]) => member !== null)
    // names of variables are not renamed
    .map(([name, member]): [string, unknown] => [
      isOfVariables ? name : (formerNames[name] ?? name),
      rename(member, name === 'variables' && !isOfVariables),
    ]);
  const renamed = Object.fromEntries(entries);
  // older schemas have the identifier of a package in its name
  if (!isOfVariables && renamed['registryType'] !== undefined && renamed['identifier'] === undefined) {
    return { ...renamed, identifier: renamed['name'] };
  }
  return renamed;
}
