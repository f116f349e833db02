import { readFileSync } from 'node:fs';
import { issueText } from '@souk/contract/manifest/issue-text.ts';
import { z } from 'zod';
import { readJson } from '#features/catalogue/index.ts';
import { ConfigError, type Config } from '#platform/config.ts';

const packageAtVersion =
  /^(?:@[a-z0-9][a-z0-9._-]{0,99}\/)?[a-z0-9][a-z0-9._-]{0,99}@\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,99})?$/;
const secretName = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
const secretsAreNames =
  'must be a list of names, such as ["API_TOKEN"]: values do not belong in this file. Give them as UPSTREAM_ENV_{ALIAS}__{NAME} or in a file';
const texts = z.array(z.string().max(4096)).max(256);

const entrySchema = z
  .strictObject({
    argv: texts.min(1).optional(),
    npm: z
      .string()
      .regex(
        packageAtVersion,
        'must be a package at an exact version, such as "@scope/name@1.2.3": no range and no tag',
      )
      .optional(),
    bin: z.string().max(214).optional(),
    args: texts.optional(),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not a variable name'), z.string()).default({}),
    reads: texts.default([]),
    secrets: z
      .array(
        z
          .string({ error: secretsAreNames })
          .max(128)
          .regex(secretName, 'must be a name of capitals, digits and single _, such as API_TOKEN')
          .refine((name) => !name.endsWith('_FILE'), 'must not end in _FILE, which marks the file that holds a secret'),
        { error: secretsAreNames },
      )
      .max(32)
      .default([]),
    network: z.union([z.boolean(), z.literal('host')], { error: 'must be true, false or "host"' }).default(false),
  })
  .superRefine((entry, context) => {
    const refuse = (message: string, ...path: PropertyKey[]) => context.addIssue({ code: 'custom', message, path });
    if (!entry.argv === !entry.npm) refuse('needs either argv or npm');
    for (const name of ['bin', 'args'] as const) {
      if (entry[name] !== undefined && !entry.npm) refuse('is only allowed with npm', name);
    }
    for (const [field, list] of Object.entries({
      argv: entry.argv ?? [],
      args: entry.args ?? [],
      reads: entry.reads,
    })) {
      list.forEach((text, index) => {
        const wrong = unknownPlaceholder(text);
        if (wrong !== undefined) refuse(`${wrong} is not a placeholder: ${placeholders}`, field, index);
      });
    }
    entry.reads.forEach((path, index) => {
      if (!/^(?:\/.|\{(?:node|personDir|package:))/.test(path)) {
        refuse('must be an absolute path below /, or begin with a placeholder', 'reads', index);
      }
    });
    for (const [name, value] of Object.entries(entry.env)) {
      const wrong = unknownPlaceholder(value);
      if (wrong !== undefined) refuse(`${wrong} is not a placeholder: ${placeholders}`, 'env', name);
      if (URL.parse(value)?.password) refuse('has a password in it: name it in secrets', 'env', name);
      if (entry.secrets.includes(name)) refuse('is in secrets too: name it once', 'env', name);
      else if (value !== '' && soundsSecret(name)) {
        refuse('sounds like a secret, which does not belong in this file: name it in secrets', 'env', name);
      }
    }
    for (const [field, list] of Object.entries({ argv: entry.argv ?? [], args: entry.args ?? [] })) {
      list.forEach((text, index) => {
        const [option = '', value] = text.split('=', 2);
        if (!option.startsWith('-') || !soundsSecret(option)) return;
        if (value !== undefined || list[index + 1]?.startsWith('-') === false) {
          refuse('sounds like a secret, and arguments are visible to every process: use secrets', field, index);
        }
      });
    }
  });

/**
 * The operator's allow-list of programs by alias. It is a file on disk and cannot be changed over the web, since
 * starting a program means trusting it.
 * - `npm`: a package that we install and run, in place of `argv`
 * - `reads`: paths that the program reads besides the system's folders, this Node and its packages; the sandbox contains
 *   nothing else
 * - `network`: none (false), only public addresses (true), or this machine's ("host")
 * - `secrets`: names of variables whose values the operator gives to the broker
 * - placeholders: {node} this Node, {package:name/file} a file of an installed package, {personDir} the user's own folder
 */
const allowlistSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'is not an alias: use up to 63 lower-case letters, digits and -'),
  entrySchema,
);

export type StdioAllowlist = z.output<typeof allowlistSchema>;
export type AllowlistEntry = StdioAllowlist[string];

/** Returns whether a program keeps files: if so, its entry passes it the folder that its process may write to. */
export function keepsFiles({ argv = [], args = [], env }: Pick<AllowlistEntry, 'argv' | 'args' | 'env'>): boolean {
  return [...argv, ...args, ...Object.values(env)].some((text) => text.includes('{personDir}'));
}

/** Returns the aliases of programs that are packages of this installation: only an upgrade of Souk changes them. */
export function bundledPrograms(allowlist: StdioAllowlist): Set<string> {
  const aliases = Object.entries(allowlist).filter(([, { argv }]) =>
    argv?.some((part) => part.startsWith('{package:')),
  );
  return new Set(aliases.map(([alias]) => alias));
}

/** @throws ConfigError that names the file and every wrong field */
export function readStdioAllowlist(path: string): StdioAllowlist {
  const refused = (reason: string) => new ConfigError([`The allow-list ${path} cannot be used: ${reason}`]);
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
  const json = readJson(file);
  if (json.issues.length > 0)
    throw refused(json.issues.map((issue) => `${issue.path} ${issue.message}`.trim()).join('; '));
  const parsed = allowlistSchema.safeParse(json.value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const inner = issue.code === 'invalid_key' ? issue.issues[0] : undefined;
    return `${issue.path.join('.')} ${issueText(inner ?? issue)}`.trim();
  });
  throw refused(problems.join('; '));
}

/**
 * Returns the broker's variable for the secret `name` of a program. No two secrets share a variable, because names
 * contain no `__`.
 */
export function secretVariable(alias: string, name: string): string {
  return `UPSTREAM_ENV_${alias.toUpperCase().replaceAll('-', '_')}__${name}`;
}

/** Returns a text for the operator: a server's program is not on the list, and what to do. */
export function notAllowedText(
  alias: string,
  { stdio, stdioAllowlist }: Pick<Config, 'stdio' | 'stdioAllowlist'>,
): string {
  if (stdio === 'off') {
    return `the program ${alias} is not started, since STDIO is off: set STDIO=allowlist and start again, or undeploy the server`;
  }
  const list = stdioAllowlist === undefined ? 'the bundled allow-list' : `the allow-list ${stdioAllowlist}`;
  return `the program ${alias} is not on ${list}: add it there and start again, or undeploy the server`;
}

const placeholders = 'use {node}, {personDir} or {package:name/file}';

/** Returns the first unknown `{word}`. Other braces, such as those of JSON, are text. */
function unknownPlaceholder(text: string): string | undefined {
  const words = text.match(/\{[A-Za-z]{1,40}\}/g) ?? [];
  return words.find((word) => word !== '{node}' && word !== '{personDir}');
}

const secretEndings = ['token', 'secret', 'password', 'passwd', 'passphrase', 'credentials', 'api_key', 'apikey'];

/** Returns whether a variable or option of this name is likely to hold a secret, judging by its last words. */
export function soundsSecret(name: string): boolean {
  const words = name.toLowerCase().replaceAll('-', '_');
  return [...secretEndings, 'access_key', 'private_key'].some((end) => words === end || words.endsWith(`_${end}`));
}
