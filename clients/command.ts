import type { ClientBrowser } from './browser.ts';
import type { Setting } from './program.ts';

export type CommandOptions = {
  browser: ClientBrowser;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs?: number;
  /** Passes the input on; without it the program gets none. */
  input?: string;
  /** Ends a program that would stay, and counts as its success. */
  until?: () => boolean;
};
export type Ended = { code: number | null; stdout: string; stderr: string };

const mostOutput = 4 * 1024 * 1024;
const authorize = /https?:\/\/[^\s"'<>\p{Cc}]+\/oauth\/authorize\?[^\s"'<>\p{Cc}]+(?=[\s"'<>\p{Cc}])/gu;

/** Runs a program of a client to its end. An authorization address that it prints is opened. */
export async function runCommand(setting: Setting, words: readonly string[], options: CommandOptions): Promise<Ended> {
  const [command = '', ...args] = words;
  const child = setting.processes.start(command, args, {
    cwd: options.cwd ?? setting.home,
    env: clientEnv(setting, options),
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // a terminal stays open: its end would end the program
  if (options.until) child.stdin?.write(options.input ?? '');
  else child.stdin?.end(options.input);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk) => {
      output[name] = (output[name] + String(chunk)).slice(-mostOutput);
      for (const [address] of output[name].matchAll(authorize)) options.browser.open(address);
    });
  }
  let reached = false;
  const timer = setTimeout(() => void setting.processes.end(child), options.timeoutMs ?? 90_000);
  const look = setInterval(() => {
    if (!options.until?.()) return;
    reached = true;
    void setting.processes.end(child);
  }, 250);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  clearTimeout(timer);
  clearInterval(look);
  return { code: reached ? 0 : code, ...output };
}

/** The same, for a program that has to succeed. */
export async function mustRun(setting: Setting, words: readonly string[], options: CommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runCommand(setting, words, options);
  if (code === 0) return stdout;
  const why = options.browser.failure()?.message ?? '';
  throw new Error(`${words.slice(1, 4).join(' ')} ended with ${code}: ${`${stderr}${stdout}`.slice(-400)} ${why}`);
}

/** The command line that runs a program in a terminal, for those that do something only there. */
export function inTerminal(words: readonly string[]): string[] {
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\\''`)}'`).join(' ');
  return ['script', '--quiet', '--return', '--flush', '--command', quoted, '/dev/null'];
}

/** Nothing of the caller's environment but the PATH: a client here has no account of anyone. */
export function clientEnv({ home }: Setting, { browser, env }: Pick<CommandOptions, 'browser' | 'env'>) {
  return { HOME: home, XDG_CONFIG_HOME: `${home}/.config`, TERM: 'xterm-256color', ...browser.env, ...env };
}
