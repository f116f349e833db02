import type { ClientBrowser } from './browser.ts';
import type { Setting } from './program.ts';
import { readable, replyTo, type Reply } from './terminal.ts';

export type CommandOptions = {
  browser: ClientBrowser;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs?: number;
  /** What its user types in a terminal; without it the program gets no input. */
  replies?: readonly Reply[];
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
    stdio: [options.replies ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  // its input stays open: the end of it would end a program in a terminal
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
  // it may have ended by itself since the last look, with whatever code
  return { code: reached || options.until?.() ? 0 : code, ...output };
}

/** The same, for a program that has to succeed. */
export async function mustRun(setting: Setting, words: readonly string[], options: CommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runCommand(setting, words, options);
  if (code === 0) return stdout;
  const why = options.browser.failure()?.message ?? '';
  throw new Error(
    `${words.slice(1, 4).join(' ')} ended with ${code}: ${readable(`${stderr}${stdout}`).slice(-400)} ${why}`,
  );
}

/** Nothing of the caller's environment but the PATH: a client here has no account of anyone. */
export function clientEnv({ home }: Setting, { browser, env }: Pick<CommandOptions, 'browser' | 'env'>) {
  return { HOME: home, XDG_CONFIG_HOME: `${home}/.config`, TERM: 'xterm-256color', ...browser.env, ...env };
}
