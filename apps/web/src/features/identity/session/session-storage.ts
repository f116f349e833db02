import { z } from 'zod';
import { storedTokensSchema, storedUserSchema, type SignedInUser } from './signed-in-user.ts';

export type KeyValueStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Keys in localStorage, which all tabs share and which outlives the browser. */
export const userKey = 'souk.user';
export const tokensKey = 'souk.tokens';
/** Set until a sign-out has reached the broker. Meanwhile the refresh cookie is not used to sign in again. */
export const signOutKey = 'souk.signing-out';
/** The name of a renewal that has not been answered yet. */
export const renewalKey = 'souk.renewal';
/** Keys in sessionStorage, for one sign-in in one tab. */
export const stateKey = 'souk.sign-in.state';
export const verifierKey = 'souk.sign-in.verifier';
export const returnPathKey = 'souk.sign-in.return-path';

/** Earlier releases wrote this key to notify other tabs of a sign-in. It is still read, but no longer written. */
export const broadcastKey = 'oauth_success';
/**
 * Names of earlier releases (spec part 1, section 3). They hold auth data, so they are cleared with the rest, but never
 * used.
 */
const olderKeys = ['token', 'auth_token', 'user_data', broadcastKey] as const;
/** Some older entries have an expiry, in epoch milliseconds. */
const expirySchema = z.object({ tokenExpiry: z.number() });

/** The longest lifetime that a stored session may claim (spec part 1, section 9). */
const longestClaimMs = 24 * 3_600_000;

/** Stores both entries. The tokens come last: other tabs wait for a change of that key, and then both are there. */
export function storeUser(local: KeyValueStore, user: SignedInUser): void {
  const { accessToken, refreshToken, ...identity } = user;
  local.setItem(userKey, JSON.stringify(identity));
  const tokens = { userId: user.id, accessToken, refreshToken, tokenExpiry: user.tokenExpiry };
  local.setItem(tokensKey, JSON.stringify(tokens));
}

/** @returns the stored user if their expiry is in the future, else undefined */
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

export function clearSignInState(temporary: KeyValueStore): void {
  for (const key of [stateKey, verifierKey, returnPathKey]) temporary.removeItem(key);
}

/**
 * Removes every auth entry of both storages that has expired or cannot be parsed (spec part 1, section 4). An older
 * entry without an expiry stays: nothing reads it.
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

/** Returns undefined for invalid JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
