import type { ClientEntry } from './client-entry.ts';

/** A server over HTTP that is configured as a program that connects to it: `npx mcp-remote URL`. */
export type Bridge = { url: string; headers: string[]; isOld: boolean; signsIn: boolean; notes: string[] };

const isBridge = (arg: string) => /^mcp-remote(?:@[^/]{0,100})?$/.test(arg);

/** Returns undefined if the arguments start another program. */
export function readBridge({
  args,
  env,
  inherited,
}: Pick<ClientEntry, 'args' | 'env' | 'inherited'>): Bridge | undefined {
  const at = args.findIndex(isBridge);
  if (at === -1) return undefined;
  const given = args.slice(at + 1);
  const url = given.find((arg) => /^https?:\/\//.test(arg));
  if (url === undefined) return undefined;
  const headers: string[] = [];
  const others: string[] = [];
  let isOld = false;
  let signsIn = false;
  for (let index = 0; index < given.length; index++) {
    const [option = '', attached] = splitOption(given[index] ?? '');
    if (!option.startsWith('-')) continue;
    const next = given[index + 1];
    const value =
      attached ?? (next !== undefined && !next.startsWith('-') && next !== url ? given[++index] : undefined);
    if (option === '--header' && value !== undefined) {
      headers.push((value.split(':', 1)[0] ?? '').trim());
      continue;
    }
    others.push(option);
    if (option === '--transport' && value?.startsWith('sse-only')) isOld = true;
    // the user has a registration at the server
    if (option.startsWith('--static-oauth-client')) signsIn = true;
  }
  return { url, headers, isOld, signsIn, notes: notesOf(others, [...env.map(([name]) => name), ...inherited]) };
}

function splitOption(arg: string): [option: string, value: string | undefined] {
  const end = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return end === -1 ? [arg, undefined] : [arg.slice(0, end), arg.slice(end + 1)];
}

function notesOf(options: readonly string[], variables: readonly string[]): string[] {
  return [
    ...(options.length > 0 ? [`Left out, as options of mcp-remote: ${[...new Set(options)].join(', ')}.`] : []),
    ...(variables.length > 0
      ? [
          `Left out, though it may contain a secret: env (${variables.join(', ')}). Enter the values of its headers here.`,
        ]
      : []),
  ];
}
