import { SoukError } from '../errors.ts';
import type { Caller } from './caller.ts';

/**
 * Identity comes from the token alone: the {userId} of a path must be the caller's own (clarifications, Addresses).
 * @throws SoukError not_found for another person's id, which tells nothing about whether that person exists
 */
export function requireOwn(caller: Caller, { userId }: { userId: string }): void {
  if (userId !== caller.userId) throw new SoukError('not_found');
}
