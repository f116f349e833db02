import { asRecord } from '#platform/json.ts';

/** An entry of the configuration of any client. */
export type ClientEntry = {
  url?: string | undefined;
  type?: string | undefined;
  headers: string[];
  command?: string | undefined;
  args: string[];
  env: Record<string, string>;
  /** Variables that the client takes from its own environment. */
  inherited: string[];
  envFile?: string | undefined;
  isOff: boolean;
};

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const namesOf = (value: unknown): string[] => Object.keys(asRecord(value) ?? {});

/** Reads the spellings of Claude, Cursor, VS Code, Windsurf, Gemini, Cline, Zed, Codex and opencode. */
export function readClientEntry(entry: Record<string, unknown>): ClientEntry {
  // Zed, earlier: {"command": {"path": …, "args": …, "env": …}}; opencode: {"command": ["npx", …]}
  const started = asRecord(entry['command']) ?? entry;
  const line = texts(entry['command']);
  const bearer = text(entry['bearer_token_env_var']);
  return {
    url: text(entry['url']) ?? text(entry['serverUrl']) ?? text(entry['httpUrl']),
    type: text(entry['type']) ?? text(entry['transport']),
    headers: [
      ...namesOf(entry['headers'] ?? asRecord(entry['requestInit'])?.['headers']),
      ...namesOf(entry['http_headers']),
      ...namesOf(entry['env_http_headers']),
      ...(bearer === undefined ? [] : ['Authorization']),
    ],
    command: text(entry['command']) ?? text(asRecord(entry['command'])?.['path']) ?? line[0],
    args: line.length > 0 ? line.slice(1) : texts(started['args']),
    env: textsByName(started['env'] ?? entry['environment']),
    inherited: texts(entry['env_vars']),
    envFile: text(entry['envFile']),
    isOff: entry['disabled'] === true || entry['enabled'] === false,
  };
}

function textsByName(value: unknown): Record<string, string> {
  const entries = Object.entries(asRecord(value) ?? {});
  return Object.fromEntries(entries.map(([name, given]) => [name, typeof given === 'object' ? '' : String(given)]));
}
