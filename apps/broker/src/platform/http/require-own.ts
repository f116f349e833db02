import { SoukError } from '../errors.ts';
import type { Caller } from './caller.ts';

/**
 * Requires the {userId} of a path to be the caller's own, since identity comes from the token (clarifications, Addresses).
 * @throws SoukError not_found for another id, which does not reveal whether that user exists
 */
export function requireOwn(caller: Caller, { userId }: { userId: string }): void {
  if (userId !== caller.userId) throw new SoukError('not_found');
}
