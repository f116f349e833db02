import { createHash } from 'node:crypto';
import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import { SoukError } from '#platform/errors.ts';
import { definitionHash } from './definition-hash.ts';

/** Enough that two lists do not have the same by accident, and short enough to type. */
const codeCharacters = 12;

/** A code for exactly these definitions: an operator gives it back, so that what they read is what they approve. */
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
