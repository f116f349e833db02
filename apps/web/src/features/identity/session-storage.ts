import type { z } from 'zod';
import { storedTokensSchema, storedUserSchema, type SignedInUser } from './signed-in-user.ts';

/** The part of the browser's Storage that the session uses. */
export type KeyValueStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** In localStorage: shared by the tabs, outlives the browser. */
export const userKey = 'souk.user';
export const tokensKey = 'souk.tokens';
/** Set while a sign-out has not reached the broker: until it has, the cookie must not sign anybody in again. */
export const signOutKey = 'souk.signing-out';
/** The name of a renewal whose answer has not come yet. */
export const renewalKey = 'souk.renewal';
/** In sessionStorage: one sign-in of one tab. */
export const stateKey = 'souk.sign-in.state';
export const verifierKey = 'souk.sign-in.verifier';
export const returnPathKey = 'souk.sign-in.return-path';

/** By this key earlier releases told other tabs of a sign-in: still heard, no longer written. */
export const broadcastKey = 'oauth_success';
/** Names that earlier releases used (spec part 1, section 3): auth data too, so cleared with the rest, never read. */
const olderKeys = ['token', 'auth_token', 'user_data', broadcastKey];

/** A restored session may claim no more than this without asking the broker (spec part 1, section 9). */
const longestClaimMs = 24 * 3_600_000;

/** Stores both entries. The tokens come last: other tabs wait for that key to change, and then both are there. */
export function storeUser(local: KeyValueStore, user: SignedInUser): void {
  const { accessToken, refreshToken, ...identity } = user;
  local.setItem(userKey, JSON.stringify(identity));
  const tokens = { userId: user.id, accessToken, refreshToken, tokenExpiry: user.tokenExpiry };
  local.setItem(tokensKey, JSON.stringify(tokens));
}

/** @returns the stored user whose expiry is in the future, undefined otherwise. */
export function readStoredUser(local: KeyValueStore, nowMs: number): SignedInUser | undefined {
  const user = readEntry(local, userKey, storedUserSchema);
  const tokens = readEntry(local, tokensKey, storedTokensSchema);
  if (!user || !tokens || user.id !== tokens.userId || !isCurrent(tokens, nowMs)) return undefined;
  const { userId: _userId, refreshToken, ...rest } = tokens;
  return { ...user, ...rest, ...(refreshToken !== undefined && { refreshToken }) };
}

/** Removes the stored user and tokens, under today's and yesterday's names. */
export function clearStoredUser(local: KeyValueStore, temporary: KeyValueStore): void {
  for (const key of [userKey, tokensKey, renewalKey, ...olderKeys]) {
    local.removeItem(key);
    temporary.removeItem(key);
  }
}

/** Removes what one sign-in of this tab left: state, verifier and return path. */
export function clearSignInState(temporary: KeyValueStore): void {
  for (const key of [stateKey, verifierKey, returnPathKey]) temporary.removeItem(key);
}

/** Removes every stored entry whose expiry is past or whose content cannot be read (spec part 1, section 4). */
export function clearStaleEntries(local: KeyValueStore, nowMs: number): void {
  const entries = [
    { key: userKey, entry: readEntry(local, userKey, storedUserSchema) },
    { key: tokensKey, entry: readEntry(local, tokensKey, storedTokensSchema) },
  ];
  for (const { key, entry } of entries) {
    if (!entry || !isCurrent(entry, nowMs)) local.removeItem(key);
  }
}

function isCurrent({ tokenExpiry }: { tokenExpiry: number }, nowMs: number): boolean {
  return tokenExpiry > nowMs && tokenExpiry <= nowMs + longestClaimMs;
}

function readEntry<S extends z.ZodType>(store: KeyValueStore, key: string, schema: S): z.output<S> | undefined {
  const text = store.getItem(key);
  if (text === null) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not JSON: as good as absent
  }
}
