import { mark, withoutMark } from './byte-order-mark.ts';
import { rewriteServerJson } from './server-messages.ts';

/** What has to be rewritten has one of these: most events have none. */
const mayNeedIt = /null|\[[\]\s]|\d{16}|\d[eE]|"annotations"|"error"|\ufeff/;

/**
 * Complete server-sent events with the JSON of each as the SDK may read it (server-messages.ts), without byte order marks.
 * Every other line stays.
 * @returns undefined where they can stay as they are
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
