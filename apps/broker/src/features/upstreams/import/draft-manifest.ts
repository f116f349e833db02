import { headerVariable } from '../sign-in/client/operator-secrets.ts';
import { secretVariable, type AllowlistEntry, type StdioAllowlist } from '../processes/stdio-allowlist.ts';
import type { Launch, Named, Target, WantedServer } from './wanted.ts';

type Secret = { name: string; variable: string; description?: string };

/** A manifest drafted from a server to import, and what the operator has to do for it. */
export type Drafted = {
  manifest: Record<string, unknown>;
  secrets: Secret[];
  /** The address, or the package or command that is started. */
  target: string;
  /** The missing entry of the allow-list of programs. */
  allowlist?: Record<string, unknown>;
  notes: string[];
};

const maxDescription = 300;

/**
 * Drafts a manifest.
 * @param allowlist programs that are already allowed: an entry that starts the same program is used instead of a new
 *   one
 */
export function draftManifest(wanted: WantedServer, id: string, allowlist: StdioAllowlist = {}): Drafted {
  const { target } = wanted;
  return target.kind === 'address' ? draftAddress(wanted, target, id) : draftProgram(wanted, target, id, allowlist);
}

function draftAddress(wanted: WantedServer, target: Extract<Target, { kind: 'address' }>, id: string): Drafted {
  const headers = target.headers.map(({ name, description }) => ({
    name,
    from: 'operator',
    ...(description !== undefined && { description: oneLine(description, maxDescription) }),
  }));
  // ids that we give always have header variables
  const secrets = target.headers.map((header) => secretOf(header, headerVariable(id, header.name) ?? header.name));
  const manifest = {
    ...lookOf(wanted, id),
    connection: { type: target.type, url: target.url },
    ...(headers.length > 0 && { auth: { type: 'headers', headers } }),
    ...(target.signIn && { auth: { type: 'oauth', ...target.signIn } }),
  };
  return { manifest, secrets, target: target.url, notes: wanted.notes };
}

const isSecretName = (name: string) => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name) && !name.endsWith('_FILE');

function draftProgram(
  wanted: WantedServer,
  target: Extract<Target, { kind: 'program' }>,
  id: string,
  allowlist: StdioAllowlist,
): Drafted {
  const { launch, env } = target;
  const secrets = target.secrets.filter(({ name }) => isSecretName(name));
  const others = target.secrets.filter(({ name }) => !isSecretName(name)).map(({ name }) => name);
  const start = startOf(launch);
  const known = knownAlias(start, id, allowlist);
  const alias = known ?? id;
  const notes = [...wanted.notes];
  if (known === undefined) {
    if (others.length > 0) notes.push(`Add these variables to "env" of the entry yourself: ${others.join(', ')}.`);
    if (launch.kind === 'pypi')
      notes.push('uvx has to be installed on this machine; it fetches the package from PyPI.');
    else notes.push('Add "network": true to the entry if it talks to the internet.');
  }
  const entry = {
    ...start,
    ...(Object.keys(env).length > 0 && { env }),
    ...(secrets.length > 0 && { secrets: secrets.map(({ name }) => name) }),
    ...(launch.kind === 'pypi' && { network: true }),
  };
  // the operator's entry decides which secrets the program gets
  const named: Named[] = known === undefined ? secrets : (allowlist[known]?.secrets ?? []).map((name) => ({ name }));
  return {
    manifest: { ...lookOf(wanted, id), connection: { type: 'stdio', command: alias }, isolation: 'perUser' },
    secrets: named.map((secret) => secretOf(secret, secretVariable(alias, secret.name))),
    target: start.npm ?? start.argv?.join(' ') ?? '',
    ...(known === undefined && { allowlist: { [id]: entry } }),
    notes,
  };
}

type Start = Pick<AllowlistEntry, 'npm' | 'bin' | 'args' | 'argv'>;

/** Returns how the allow-list starts a program: an npm package at an exact version, or a command line. */
function startOf(launch: Launch): Start {
  if (launch.kind === 'command') return { argv: launch.argv };
  const { name, command, args } = launch;
  const version = 'exact' in launch.version ? launch.version.exact : 'VERSION';
  if (launch.kind === 'npm') {
    return {
      npm: `${name}@${version}`,
      ...(command !== undefined && { bin: command }),
      ...(args.length > 0 && { args }),
    };
  }
  const spec = `${name}==${version}`;
  return { argv: ['uvx', ...(command === undefined ? [spec] : ['--from', spec, command]), ...args] };
}

/** Returns the alias that starts the same package and version, or the same command line; preferably the server's own id. */
function knownAlias(start: Start, id: string, allowlist: StdioAllowlist): string | undefined {
  const isSame = ({ npm, argv }: AllowlistEntry) =>
    start.npm === undefined ? argv !== undefined && argv.join('\0') === start.argv?.join('\0') : npm === start.npm;
  const same = Object.entries(allowlist).filter(([, entry]) => isSame(entry));
  return (same.find(([alias]) => alias === id) ?? same[0])?.[0];
}

function secretOf({ name, description }: Named, variable: string): Secret {
  return { name, variable, ...(description !== undefined && { description: oneLine(description, maxDescription) }) };
}

function lookOf({ name, look }: WantedServer, id: string): Record<string, unknown> {
  const shown =
    withoutHidden(look.title ?? name)
      .slice(0, 80)
      .trim() || id;
  const description = oneLine(look.description ?? '', 500);
  return {
    id,
    name: shown,
    serviceType: 'mcp',
    version: versionOf(look.version),
    // a manifest needs a description: the name, if the author gave none
    description: description || shown,
    ...(look.icon !== undefined && { icon: look.icon }),
    ...(look.registryName !== undefined && { registryName: look.registryName }),
    category: 'api',
  };
}

/** Returns a valid version of a manifest: up to 40 of the allowed characters. */
export function versionOf(version: string | undefined): string {
  const plain = (version ?? '')
    .replaceAll(/[^0-9A-Za-z.+-]/g, '-')
    .replace(/^[.+-]{1,40}/, '')
    .slice(0, 40);
  return plain === '' ? '1.0.0' : plain;
}

function withoutHidden(text: string): string {
  return text
    .replaceAll(/\s/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '')
    .trim();
}

function oneLine(text: string, max: number): string {
  const plain = withoutHidden(text);
  return plain.length <= max ? plain : `${plain.slice(0, max - 1).trimEnd()}…`;
}
