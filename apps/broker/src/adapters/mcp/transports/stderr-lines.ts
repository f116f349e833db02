import type { Readable } from 'node:stream';

/** Longer than shown, because secrets are removed from a line before it is cut for display. */
const maxLineChars = 8192;
/** Lines per flush, the number that is kept per program: lines beyond it would not be shown anyway. */
const maxLines = 200;
const flushEveryMs = 250;

/**
 * Drains a child's stderr, so that a verbose child never blocks on a full pipe, and passes the newest lines on: cut to 8 KiB,
 * at most 200 every 250 ms. The first lines of a burst come immediately, the last at the end.
 * @param onRead called with the number of bytes read
 */
export function drainDiagnostics(
  stderr: Readable,
  onLines: ((lines: readonly string[]) => void) | undefined,
  onRead: (bytes: number) => void = () => {},
): void {
  stderr.on('error', () => {});
  if (!onLines) {
    stderr.on('data', (chunk: Buffer) => onRead(chunk.length));
    return;
  }
  let rest = '';
  let waiting: string[] = [];
  let flushedAtMs = -flushEveryMs;
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    flushedAtMs = performance.now();
    const lines = waiting;
    waiting = [];
    if (lines.length > 0) onLines(lines);
  };

  stderr.setEncoding('utf8');
  stderr.on('data', (text: string) => {
    onRead(text.length);
    const parts = (rest + text).split('\n');
    rest = (parts.pop() ?? '').slice(0, maxLineChars);
    for (const part of parts.slice(-maxLines)) {
      const line = part.trimEnd().slice(0, maxLineChars);
      if (line !== '') waiting.push(line);
    }
    waiting = waiting.slice(-maxLines);
    const waitMs = flushedAtMs + flushEveryMs - performance.now();
    if (waitMs <= 0) flush();
    else timer ??= setTimeout(flush, waitMs).unref();
  });
  stderr.on('end', () => {
    if (rest !== '') waiting = [...waiting, rest].slice(-maxLines);
    flush();
  });
}
