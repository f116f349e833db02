import type { HandOffAddress } from './hand-off.ts';

/**
 * The parameters of /auth/success; undefined on every other page. They are removed from the address when this module
 * runs, before the session or a screen can make a request, so that the ticket appears in no request, history entry or
 * shared screen.
 */
export const arrivedHandOff = takeFromAddress();

function takeFromAddress(): HandOffAddress | undefined {
  const { pathname, search } = window.location;
  if (pathname !== '/auth/success') return undefined;
  const query = new URLSearchParams(search);
  window.history.replaceState(null, '', pathname);
  return { token: query.get('token'), user: query.get('user') };
}
