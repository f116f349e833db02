import { asRecord } from '#platform/json.ts';
import { readNamed, readText, readTexts, type NamedText } from './named-texts.ts';
import { NotImportable } from './wanted.ts';

/** An entry of a client's configuration, for any client. */
export type ClientEntry = {
  url?: string | undefined;
  type?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  headers: string[];
  command?: string | undefined;
  args: string[];
  env: NamedText[];
  /** Variables that the client reads from its own environment. */
  inherited: string[];
  envFile?: string | undefined;
  cwd?: string | undefined;
  isOff: boolean;
  /** The entry's members, without empty ones. */
  members: Readonly<Record<string, unknown>>;
};

/** Members that name an address, the most specific first: Gemini uses `url` for the older transport. */
export const addressMembers = ['httpUrl', 'serverUrl', 'server_url', 'url'] as const;
export const headerMembers = ['headers', 'requestInit', 'http_headers', 'env_http_headers'] as const;
export const programMembers = ['command', 'args', 'env', 'environment', 'env_vars', 'envFile'] as const;
export const cwdMembers = ['cwd', 'workingDirectory', 'working_directory'] as const;
/** Members that describe the entry, or that are not needed here. */
export const describingMembers =
  '$schema name id server_label title description type transport source disabled enabled'.split(' ');

/**
 * Reads the formats of Claude, Cursor, VS Code, Windsurf, Gemini, Cline, Zed, Codex, opencode and of APIs that accept
 * servers.
 * @throws NotImportable that names a member with an unexpected form
 */
export function readClientEntry(given: Record<string, unknown>): ClientEntry {
  // some nest it: {"transport": {"type": "http", "url": …}}
  const entry = { ...given, ...asRecord(given['transport']) };
  const place = addressMembers.find((member) => entry[member] !== undefined && entry[member] !== '');
  const { command, args, env } = readCommand(entry);
  const headers = [
    ...readNamed(entry['headers'], 'headers', ':'),
    ...readNamed(asRecord(entry['requestInit'])?.['headers'], 'requestInit.headers', ':'),
    ...readNamed(entry['http_headers'], 'http_headers', ':'),
    ...readNamed(entry['env_http_headers'], 'env_http_headers', ':'),
  ].map(([name]) => name);
  const isTransport = typeof entry['transport'] === 'string';
  return {
    url: place && readText(entry, place),
    type: readText(entry, 'type') ?? (isTransport ? readText(entry, 'transport') : undefined),
    title: shown(entry['title']),
    description: shown(entry['description']),
    headers,
    command,
    args,
    env,
    inherited: readNamed(entry['env_vars'], 'env_vars', '=').map(([name]) => name),
    envFile: readText(entry, 'envFile'),
    cwd: cwdMembers.map((member) => readText(entry, member)).find((path) => path !== undefined),
    isOff: entry['disabled'] === true || entry['enabled'] === false,
    members: Object.fromEntries(Object.entries(entry).filter(([, value]) => hasContent(value))),
  };
}

/**
 * Reads the command, also in the forms of older Zed ({"command": {"path": …, "args": …}}) and opencode ({"command":
 * ["npx", …]}).
 */
function readCommand(entry: Record<string, unknown>): Pick<ClientEntry, 'command' | 'args' | 'env'> {
  const inner = asRecord(entry['command']);
  const from = inner ?? entry;
  const env = [
    ...readNamed(from['env'], 'env', '='),
    ...(inner ? readNamed(entry['env'], 'env', '=') : []),
    ...readNamed(entry['environment'], 'environment', '='),
  ];
  if (Array.isArray(entry['command'])) {
    const [command, ...first] = readTexts(entry['command'], 'command');
    return { command, args: [...first, ...readTexts(entry['args'], 'args')], env };
  }
  const command = readText(inner ? { command: inner['path'] ?? inner['command'] } : entry, 'command');
  const args = readTexts(from['args'], 'args');
  if (command !== undefined && isCommandLine(command)) {
    throw new NotImportable(
      'its "command" has several words: write the first as "command", and the others as a list in "args"',
    );
  }
  return { command, args, env };
}

/** Returns whether a command is a whole command line. Paths may contain spaces, but names of programs do not. */
const isCommandLine = (command: string) =>
  /\s/.test(command.trim()) && !/[/\\]/.test(command.trim().split(/\s/, 1)[0] ?? '');

const shown = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** Returns whether a member has content. Leaving out an empty or false one loses nothing. */
function hasContent(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
