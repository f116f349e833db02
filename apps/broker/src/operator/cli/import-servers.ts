import { serverIdSchema } from '@souk/contract/manifest.ts';
import { readJson } from '#features/catalogue/index.ts';
import { headerVariable, secretVariable } from '#features/upstreams/index.ts';
import { asRecord } from '#platform/json.ts';

/** What became of one entry of a client's configuration. Values of headers and variables are in none of it. */
export type ImportedServer = {
  /** As the configuration calls it. */
  name: string;
  /** Why nothing could be made of it. */
  refused?: string;
  id?: string;
  manifest?: Record<string, unknown>;
  /** Variables of the broker that the operator has to set. */
  variables: string[];
  /** For a program: the entry that the allow-list of programs needs, by its alias. */
  allowlist?: Record<string, unknown>;
  notes: string[];
};

const maxServers = 200;
/** Every client sends these by itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'user-agent',
  'host',
  'mcp-protocol-version',
]);
const soundsSecret = /key|token|secret|passw|auth|credential|signature|^sig$|^code$/i;

/**
 * Makes manifests of a pasted configuration: `mcpServers` of Claude Desktop, Cursor and others, `servers` of VS Code's
 * mcp.json (also with comments and trailing commas). Secrets are left behind: a header becomes one that the operator supplies.
 * @throws Error when it is no such configuration
 */
export function importServers(source: Uint8Array | string): ImportedServer[] {
  const read = readJson(source, { comments: true });
  const [issue] = read.issues;
  if (issue) throw new Error(`the configuration ${issue.path === '' ? '' : `(${issue.path}) `}${issue.message}`);
  const entries = Object.entries(serversOf(read.value));
  if (entries.length === 0) throw new Error('the configuration names no server: it needs "mcpServers" or "servers"');
  if (entries.length > maxServers) throw new Error(`the configuration names more than ${maxServers} servers`);
  const giveId = createIds();
  return entries.map(([name, entry]) => importOne(name, asRecord(entry) ?? {}, giveId(name)));
}

function serversOf(value: unknown): Record<string, unknown> {
  const root = asRecord(value) ?? {};
  const named =
    asRecord(root['mcpServers']) ?? asRecord(root['servers']) ?? asRecord(asRecord(root['mcp'])?.['servers']);
  if (named) return named;
  // the inside of mcpServers alone
  const entries = Object.entries(root).filter(
    ([, entry]) => addressOf(asRecord(entry) ?? {}) ?? asRecord(entry)?.['command'],
  );
  return Object.fromEntries(entries);
}

function addressOf(entry: Record<string, unknown>): string | undefined {
  return text(entry['url']) ?? text(entry['serverUrl']) ?? text(entry['httpUrl']);
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function importOne(name: string, entry: Record<string, unknown>, id: string): ImportedServer {
  const url = addressOf(entry);
  if (url !== undefined) return importAddress(name, id, url, headersOf(entry), text(entry['type']));
  const command = text(entry['command']);
  if (command === undefined) return refuse(name, 'it has neither a url nor a command');
  const args = Array.isArray(entry['args']) ? entry['args'].map(String) : [];
  const bridged = bridgedAddress(args);
  if (bridged) return importAddress(name, id, bridged.url, bridged.headers, undefined);
  return importProgram(name, id, command, args, Object.keys(asRecord(entry['env']) ?? {}));
}

function refuse(name: string, refused: string): ImportedServer {
  return { name, refused, variables: [], notes: [] };
}

function headersOf(entry: Record<string, unknown>): string[] {
  return Object.keys(asRecord(entry['headers']) ?? asRecord(asRecord(entry['requestInit'])?.['headers']) ?? {});
}

/** `npx mcp-remote URL --header "Name: value"` is a server over HTTP in the clothes of a program. */
function bridgedAddress(args: readonly string[]): { url: string; headers: string[] } | undefined {
  const at = args.findIndex((arg) => /^mcp-remote(@[^/]*)?$/.test(arg));
  if (at === -1) return undefined;
  const url = args.slice(at + 1).find((arg) => /^https?:\/\//.test(arg));
  const headers = args.flatMap((arg, index) =>
    args[index - 1] === '--header' ? (arg.split(':', 1)[0] ?? '').trim() : [],
  );
  return url === undefined ? undefined : { url, headers };
}

function importAddress(
  name: string,
  id: string,
  address: string,
  headers: readonly string[],
  type: string | undefined,
): ImportedServer {
  const url = URL.parse(address);
  if (!url || address.includes('${')) return refuse(name, 'its address is not a complete URL');
  if (url.username !== '' || url.password !== '') {
    return refuse(name, 'its address carries a user name or password, which never stands in a manifest: use a header');
  }
  const secret = [...url.searchParams.keys()].find((key) => soundsSecret.test(key));
  if (secret !== undefined) {
    return refuse(name, `its address carries a secret (?${secret}=), which never stands in a manifest: use a header`);
  }
  const kinds: Record<string, string> = { 'http:': 'http', 'https:': 'http', 'ws:': 'websocket', 'wss:': 'websocket' };
  const connection = kinds[url.protocol];
  if (connection === undefined) return refuse(name, `Souk cannot connect to ${url.protocol} addresses`);
  url.hash = '';
  const wanted = [...new Set(headers)].filter((header) => !ownHeaders.has(header.toLowerCase()));
  const manifest = {
    ...common(name, id),
    connection: { type: connection, url: url.href },
    ...(wanted.length > 0 && {
      auth: { type: 'headers', headers: wanted.map((header) => ({ name: header, from: 'operator' })) },
    }),
  };
  const isOldTransport = type === 'sse' || url.pathname.endsWith('/sse');
  const notes = isOldTransport
    ? [
        'It is configured for the older HTTP+SSE transport. Souk speaks Streamable HTTP: ask for that address, often /mcp.',
      ]
    : [];
  return { name, id, manifest, variables: wanted.map((header) => headerVariable(id, header)), notes };
}

function importProgram(
  name: string,
  id: string,
  command: string,
  args: readonly string[],
  environment: readonly string[],
): ImportedServer {
  const notes = [
    'It is a program. Souk only starts programs of the allow-list (STDIO_ALLOWLIST): add the entry below.',
  ];
  const kept = withoutSecrets(args);
  if (kept.length < args.length) {
    notes.push(
      'Arguments that carry a secret are left out, since every process can read them: give it in a variable of "secrets".',
    );
  }
  const isSecretName = (variable: string) => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(variable);
  const secrets = environment.filter(isSecretName);
  const others = environment.filter((variable) => !isSecretName(variable));
  if (others.length > 0) notes.push(`Add these variables to "env" of the entry yourself: ${others.join(', ')}.`);
  notes.push('Add "network": true to the entry if it talks to the internet.');
  const entry = {
    ...startOf(command, kept, notes),
    ...(secrets.length > 0 && { secrets }),
  };
  return {
    name,
    id,
    manifest: { ...common(name, id), connection: { type: 'stdio', command: id }, isolation: 'perUser' },
    variables: secrets.map((variable) => secretVariable(id, variable)),
    allowlist: { [id]: entry },
    notes,
  };
}

/** Without `--token x`, `--token=x`, `API_KEY=x`, `X-Api-Key: x` and addresses with a password. */
function withoutSecrets(args: readonly string[]): string[] {
  const isName = (text: string | undefined) => text !== undefined && text.startsWith('-') && soundsSecret.test(text);
  return args.filter((arg, index) => {
    const [name = ''] = arg.split(/[=:]/, 1);
    if (name.length < arg.length && soundsSecret.test(name)) return false;
    if (isName(args[index - 1]) && !args[index - 1]?.includes('=') && !arg.startsWith('-')) return false;
    const next = args[index + 1];
    if (isName(arg) && next !== undefined && !next.startsWith('-')) return false;
    return !URL.parse(arg)?.password;
  });
}

/** How the allow-list starts it: an npm package at an exact version, or a command line. */
function startOf(command: string, args: readonly string[], notes: string[]): Record<string, unknown> {
  const isNpx = /(^|[/\\])npx(\.cmd)?$/.test(command);
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  const wanted = isNpx ? args[at] : undefined;
  if (wanted === undefined) return { argv: [command, ...args] };
  const [, packageName = wanted, version] = /^(@?[^@]+)@(.+)$/.exec(wanted) ?? [];
  const isExact = version !== undefined && /^\d+\.\d+\.\d+/.test(version);
  if (!isExact) notes.push(`Replace VERSION by an exact version of ${packageName}: npm view ${packageName} version`);
  const rest = args.slice(at + 1);
  return { npm: `${packageName}@${isExact ? version : 'VERSION'}`, ...(rest.length > 0 && { args: rest }) };
}

/** As the official MCP registry names servers: a reversed domain and a name, such as io.github.owner/name. */
const registryName = /^[a-zA-Z0-9.-]+\/([a-zA-Z0-9._-]+)$/;
const maxRegistryName = 200;

function common(name: string, id: string): Record<string, unknown> {
  const [, ofRegistry] = (name.length <= maxRegistryName && registryName.exec(name)) || [];
  const shown =
    (ofRegistry ?? name)
      .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
      .trim()
      .slice(0, 80) || id;
  return {
    id,
    name: shown,
    serviceType: 'mcp',
    version: '1.0.0',
    description: `${shown}, imported from a client's configuration.`,
    ...(ofRegistry !== undefined && { registryName: name }),
    category: 'api',
  };
}

/** Ids of their own for the servers of one configuration, from their names. */
function createIds(): (name: string) => string {
  const taken = new Set<string>();
  /** Of each beginning, the last number that was given: counting from 2 each time takes the square of the time. */
  const counts = new Map<string, number>();
  return (name) => {
    const base = baseOf(name);
    let count = counts.get(base) ?? 1;
    let id = count === 1 ? base : `${base}-${count}`;
    while (taken.has(id)) id = `${base}-${++count}`;
    counts.set(base, count);
    taken.add(id);
    return id;
  };
}

function baseOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 58);
  const trimmed = plain.replace(/^-/, '').replace(/-$/, '') || 'server';
  return serverIdSchema.safeParse(trimmed).success ? trimmed : `mcp-${trimmed}`;
}
