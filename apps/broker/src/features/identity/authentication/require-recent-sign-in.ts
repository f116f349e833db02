import type { Clock } from '#platform/clock.ts';
import { SoukError } from '#platform/errors.ts';
import type { Caller } from '#platform/http/caller.ts';

/** Maximum age of a sign-in that lets an administrator move money or deactivate users. */
export const recentSignInMs = 15 * 60_000;

/**
 * Requires a sign-in of the last 15 minutes before an action that cannot be undone. A renewed token keeps the time of
 * its sign-in. A clock that was set back refuses nothing.
 * @throws SoukError sign_in_again
 */
export function requireRecentSignIn(caller: Pick<Caller, 'signedInAtMs'>, clock: Clock): void {
  if (caller.signedInAtMs === undefined || clock.now() - caller.signedInAtMs > recentSignInMs) {
    throw new SoukError('sign_in_again');
  }
}
