import { asRecord } from '#platform/json.ts';
import { readNamed, readText, readTexts, type NamedText } from './named-texts.ts';
import { NotImportable } from './wanted.ts';

/** An entry of the configuration of any client. */
export type ClientEntry = {
  url?: string | undefined;
  type?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  headers: string[];
  command?: string | undefined;
  args: string[];
  env: NamedText[];
  /** Variables that the client takes from its own environment. */
  inherited: string[];
  envFile?: string | undefined;
  cwd?: string | undefined;
  isOff: boolean;
  /** What the client wrote, without the members that say nothing. */
  members: Readonly<Record<string, unknown>>;
};

/** The members that name an address, the most specific first: Gemini has `url` for the older transport. */
export const addressMembers = ['httpUrl', 'serverUrl', 'server_url', 'url'] as const;
export const headerMembers = ['headers', 'requestInit', 'http_headers', 'env_http_headers'] as const;
export const programMembers = ['command', 'args', 'env', 'environment', 'env_vars', 'envFile'] as const;
export const cwdMembers = ['cwd', 'workingDirectory', 'working_directory'] as const;
/** They say what the entry is, or nothing that matters here. */
export const lookMembers =
  '$schema name id server_label title description type transport source disabled enabled'.split(' ');

/**
 * Reads the spellings of Claude, Cursor, VS Code, Windsurf, Gemini, Cline, Zed, Codex, opencode and of the APIs that take
 * servers.
 * @throws NotImportable that names a member of another shape
 */
export function readClientEntry(given: Record<string, unknown>): ClientEntry {
  // some have it one level deeper: {"transport": {"type": "http", "url": …}}
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
    members: Object.fromEntries(Object.entries(entry).filter(([, value]) => saysSomething(value))),
  };
}

/** Zed, earlier: {"command": {"path": …, "args": …, "env": …}}; opencode: {"command": ["npx", …]} */
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
  if (command !== undefined && isLine(command)) {
    throw new NotImportable(
      'its "command" has several words: write the first as "command", and the others as a list in "args"',
    );
  }
  return { command, args, env };
}

/** Paths may have spaces in them, names of programs have none. */
const isLine = (command: string) => /\s/.test(command.trim()) && !/[/\\]/.test(command.trim().split(/\s/, 1)[0] ?? '');

const shown = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** What is empty, or switched off, is lost without loss. */
function saysSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
