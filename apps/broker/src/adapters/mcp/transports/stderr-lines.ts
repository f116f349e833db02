import type { Readable } from 'node:stream';

/** More than is shown: a secret is taken out of a line before the line is cut to its length. */
const maxLineChars = 8192;
/** As many as are kept of a program: what a flush leaves out is older than all that will be shown. */
const maxLines = 200;
const flushEveryMs = 250;

/**
 * Drains a child's stderr, so that a verbose child never blocks on a full pipe, and passes on a bounded part of it, the
 * newest: lines cut to 8 KiB, at most 200 every 250 ms. The first of a burst come at once, the last at the end.
 * @param onRead is told how much of it was read
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
