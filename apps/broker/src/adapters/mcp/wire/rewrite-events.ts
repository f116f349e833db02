import { mark, withoutMark } from './byte-order-mark.ts';
import { rewriteServerJson } from './server-messages.ts';

/** Text that may have to be rewritten has one of these. Most events have none. */
const mayNeedIt = /null|\[[\]\s]|\d{16}|\d[eE]|"annotations"|"error"|\ufeff/;

/**
 * Rewrites the JSON of complete server-sent events for the SDK (server-messages.ts), and removes byte order marks. Other lines
 * stay unchanged.
 * @returns undefined if nothing has to change
 * @throws UpstreamError bad_upstream as rewriteServerJson does
 */
export function rewriteEvents(text: string): string | undefined {
  if (!mayNeedIt.test(text)) return undefined;
  let hasChanged = text.includes(mark);
  let others: string[] = [];
  let data: string[] = [];
  const events: string[] = [];
  for (const given of text.split(/\r\n|\n|\r/)) {
    const line = withoutMark(given);
    if (line.startsWith('data:')) data.push(withoutMark(line.slice(line[5] === ' ' ? 6 : 5)));
    else if (line !== '') others.push(line);
    else if (others.length > 0 || data.length > 0) {
      const rewritten = data.length > 0 ? rewriteServerJson(data.join('\n')) : undefined;
      hasChanged ||= rewritten !== undefined;
      const kept = rewritten === undefined ? data : [rewritten];
      events.push([...others, ...kept.map((part) => `data: ${part}`), '', ''].join('\n'));
      others = [];
      data = [];
    }
  }
  return hasChanged ? events.join('') : undefined;
}
