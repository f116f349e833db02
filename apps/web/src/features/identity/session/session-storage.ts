import { z } from 'zod';
import { storedTokensSchema, storedUserSchema, type SignedInUser } from './signed-in-user.ts';

/** The part of the browser's Storage that the session uses. */
export type KeyValueStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** In localStorage: shared by the tabs, outlives the browser. */
export const userKey = 'souk.user';
export const tokensKey = 'souk.tokens';
/** Set while a sign-out has not reached the broker. Until it has, the refresh cookie is not used to sign in again. */
export const signOutKey = 'souk.signing-out';
/** The name of a renewal that has not been answered yet. */
export const renewalKey = 'souk.renewal';
/** In sessionStorage: one sign-in of one tab. */
export const stateKey = 'souk.sign-in.state';
export const verifierKey = 'souk.sign-in.verifier';
export const returnPathKey = 'souk.sign-in.return-path';

/** Earlier releases wrote this key to tell other tabs of a sign-in. It is still read and no longer written. */
export const broadcastKey = 'oauth_success';
/** Names that earlier releases used (spec part 1, section 3): auth data too, so cleared with the rest, never used. */
const olderKeys = ['token', 'auth_token', 'user_data', broadcastKey] as const;
/** Some of their entries carry an expiry, in epoch milliseconds. */
const expirySchema = z.object({ tokenExpiry: z.number() });

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
  if (!user || !tokens || user.id !== tokens.userId || !isCurrent(tokens.tokenExpiry, nowMs)) return undefined;
  const { userId: _userId, refreshToken, ...rest } = tokens;
  return { ...user, ...rest, ...(refreshToken !== undefined && { refreshToken }) };
}

/** Removes the stored user and tokens, under the names of this release and of earlier ones. */
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

/**
 * Removes every auth entry of both storages whose expiry is past or whose content cannot be parsed (spec part 1,
 * section 4). An entry of an older key without an expiry stays: nothing reads it.
 */
export function clearStaleEntries(local: KeyValueStore, temporary: KeyValueStore, nowMs: number): void {
  for (const store of [local, temporary]) {
    for (const key of [userKey, tokensKey, ...olderKeys]) {
      const text = store.getItem(key);
      if (text !== null && isStale(key, parseJson(text), nowMs)) store.removeItem(key);
    }
  }
}

function isStale(key: string, content: unknown, nowMs: number): boolean {
  if (content === undefined) return true;
  const entry = key === userKey ? storedUserSchema : key === tokensKey ? storedTokensSchema : expirySchema;
  const parsed = entry.safeParse(content).data;
  return parsed ? !isCurrent(parsed.tokenExpiry, nowMs) : entry !== expirySchema;
}

function isCurrent(tokenExpiry: number, nowMs: number): boolean {
  return tokenExpiry > nowMs && tokenExpiry <= nowMs + longestClaimMs;
}

function readEntry<Entry>(store: KeyValueStore, key: string, schema: z.ZodType<Entry>): Entry | undefined {
  const text = store.getItem(key);
  return text === null ? undefined : schema.safeParse(parseJson(text)).data;
}

/** Undefined for what is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
