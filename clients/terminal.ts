import type { ChildProcess } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** A program's question in its terminal, and the user's input. */
export type Reply = { to: RegExp; type: string };

const mostScreen = 64 * 1024;

/** Returns the command line that runs a program in a terminal, for programs that do some things only there. */
export function inTerminal(words: readonly string[]): string[] {
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  // some programs draw nothing and take no command without a size
  const sized = `stty rows 40 cols 120; exec ${quoted}`;
  return ['script', '--quiet', '--return', '--flush', '--command', sized, '/dev/null'];
}

/** Types each reply once, when its question is on the screen: earlier input is lost. */
export function replyTo(child: ChildProcess, replies: readonly Reply[]): void {
  let left = replies;
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    if (left.length === 0) return;
    printed = (printed + String(chunk)).slice(-mostScreen);
    const due = left.filter(({ to }) => to.test(readable(printed)));
    if (due.length === 0) return;
    left = left.filter((reply) => !due.includes(reply));
    printed = '';
    for (const { type } of due) child.stdin?.write(type);
  });
}

/** Returns the words on a screen, where programs draw a space as a move of the cursor. */
export const readable = (printed: string) =>
  stripVTControlCharacters(printed.replaceAll(/\p{Cc}\[\d*C/gu, ' ')).replaceAll(/\s+/g, ' ');
