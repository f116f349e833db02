import type { ClientBrowser } from './browser.ts';
import type { Setting } from './program.ts';
import { readable, replyTo, type Reply } from './terminal.ts';

export type CommandOptions = {
  browser: ClientBrowser;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs?: number;
  /** Input that the user types in a terminal. By default the program gets no input. */
  replies?: readonly Reply[];
  /** Whether the program has done its work. It is then ended, and that counts as success. */
  until?: () => boolean;
};
export type Ended = { code: number | null; stdout: string; stderr: string };

const mostOutput = 4 * 1024 * 1024;
const authorize = /https?:\/\/[^\s"'<>\p{Cc}]+\/oauth\/authorize\?[^\s"'<>\p{Cc}]+(?=[\s"'<>\p{Cc}])/gu;

/** Runs a client's program to its end, and opens each authorization address that it prints. */
export async function runCommand(setting: Setting, words: readonly string[], options: CommandOptions): Promise<Ended> {
  const [command = '', ...args] = words;
  const child = setting.processes.start(command, args, {
    cwd: options.cwd ?? setting.home,
    env: clientEnv(setting, options),
    stdio: [options.replies ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  // the input stays open: its end would end a program in a terminal
  replyTo(child, options.replies ?? []);
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
  // the program may have ended by itself since the last look, with any code
  return { code: reached || options.until?.() ? 0 : code, ...output };
}

/**
 * Runs a program as runCommand does, and returns its output.
 * @throws Error when it fails
 */
export async function mustRun(setting: Setting, words: readonly string[], options: CommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runCommand(setting, words, options);
  if (code === 0) return stdout;
  const why = options.browser.failure()?.message ?? '';
  throw new Error(
    `${words.slice(1, 4).join(' ')} ended with ${code}: ${readable(`${stderr}${stdout}`).slice(-400)} ${why}`,
  );
}

/** Returns an environment with only the caller's PATH, so that a client uses no account of this machine. */
export function clientEnv({ home }: Setting, { browser, env }: Pick<CommandOptions, 'browser' | 'env'>) {
  return { HOME: home, XDG_CONFIG_HOME: `${home}/.config`, TERM: 'xterm-256color', ...browser.env, ...env };
}
