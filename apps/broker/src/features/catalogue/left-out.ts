import { cleanLabel } from '#platform/clean-label.ts';
import type { CapabilityKind } from './tables.ts';

/** A definition that a server lists and that is not offered, and why: words that follow its name. */
export type LeftOut = { kind: CapabilityKind; name: string; reason: string };

const words: Record<CapabilityKind, string> = {
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  template: 'resource template',
};
const maxTold = 3;

/** What a server's status says of its definitions that are left out; undefined when there are none. */
export function tellLeftOut(leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const told = leftOut.slice(0, maxTold).map(({ kind, name, reason }) => {
    const shown = cleanLabel(name);
    const what = shown === '' ? `A ${words[kind]}` : `The ${words[kind]} “${shown}”`;
    return `${what} is left out: ${reason}.`;
  });
  const more = leftOut.length - told.length;
  return [...told, ...(more > 0 ? [`${more} more ${more === 1 ? 'is' : 'are'} left out.`] : [])].join(' ');
}
