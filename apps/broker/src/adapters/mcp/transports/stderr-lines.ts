import type { Readable } from 'node:stream';

/** More than is shown: a secret is taken out of a line before the line is cut to its length. */
const maxLineChars = 8192;
const maxLinesPerSecond = 100;

/**
 * Drains a child's stderr, so that a verbose child never blocks on a full pipe, and passes on a bounded part of it:
 * lines cut to 8 KiB, at most 100 a second. The rest is only counted.
 */
export function drainDiagnostics(stderr: Readable, onLines: ((lines: readonly string[]) => void) | undefined): void {
  stderr.on('error', () => {});
  if (!onLines) {
    stderr.resume();
    return;
  }
  let rest = '';
  let second = 0;
  let given = 0;
  let dropped = 0;
  stderr.setEncoding('utf8');
  stderr.on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = (parts.pop() ?? '').slice(0, maxLineChars);
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      second = now;
      given = 0;
    }
    const whole = parts.map((line) => line.trimEnd().slice(0, maxLineChars)).filter((line) => line !== '');
    const lines = whole.slice(0, maxLinesPerSecond - given);
    dropped += whole.length - lines.length;
    given += lines.length;
    if (lines.length === 0) return;
    if (dropped > 0 && given < maxLinesPerSecond) {
      lines.push(`(${dropped} lines dropped)`);
      dropped = 0;
    }
    onLines(lines);
  });
  stderr.on('end', () => {
    if (rest !== '') onLines([rest]);
  });
}
