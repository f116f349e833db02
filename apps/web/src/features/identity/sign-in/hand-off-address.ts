import type { HandOffAddress } from './hand-off.ts';

/**
 * What /auth/success was opened with, undefined on every other page. Taken out of the address as soon as this module runs, which is before the session
 * or a screen can make any request: no request, no entry of the history and no shared screen shows the ticket.
 */
export const arrivedHandOff = takeFromAddress();

function takeFromAddress(): HandOffAddress | undefined {
  const { pathname, search } = window.location;
  if (pathname !== '/auth/success') return undefined;
  const query = new URLSearchParams(search);
  window.history.replaceState(null, '', pathname);
  return { token: query.get('token'), user: query.get('user') };
}
