import { createHash } from 'node:crypto';
import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import { SoukError } from '#platform/errors.ts';
import { definitionHash } from './definition-hash.ts';

/** Length of a code: two lists do not share one by accident, and it can still be typed. */
const codeCharacters = 12;

/** Returns a code for exactly these definitions. Operators send it back, so that they approve what they read. */
export function shownCode(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts.toSorted())).digest('hex').slice(0, codeCharacters);
}

export function codeOfChanges(changes: readonly ToolChange[]): string {
  return shownCode(changes.map(({ id, tool, after }) => `${id} ${tool} ${definitionHash(after)}`));
}

/** @throws SoukError changed_since_shown, which says where to read it again */
export function requireShown(shown: string, code: string, what: string, diff: string): void {
  if (shown === code) return;
  const message = `${what} has changed since it was shown with the code ${shown}. Read it again: npm run souk -- ${diff}`;
  throw new SoukError('changed_since_shown', { message });
}
