import { expect, test } from 'vitest';
import type { Caller } from '#platform/http/caller.ts';
import type { RevokedListener } from '../revocations.ts';
import { rememberCallers } from './remembered-callers.ts';

function setUp() {
  let nowMs = 1_000_000;
  const listeners = new Set<RevokedListener>();
  const remembered = rememberCallers(
    {
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    { now: () => nowMs },
  );
  const caller = (tokenId: string, expiresAtMs = nowMs + 60_000): Caller => ({
    userId: 'u',
    role: 'user',
    kind: 'client',
    clientId: 'c',
    tokenId,
    scopes: [],
    expiresAtMs,
  });
  const keep = (authorization: string, kept: Caller, resource = 'r') => {
    const found = remembered.find(authorization, resource);
    if ('keep' in found) found.keep(kept);
  };
  const knows = (authorization: string, resource = 'r') => 'caller' in remembered.find(authorization, resource);
  const revoke = (tokenId: string | undefined) => listeners.forEach((listener) => listener({ tokenId }));
  return { remembered, caller, keep, knows, revoke, pass: (ms: number) => (nowMs += ms) };
}

test('a caller is known for 5 s, for this token and this resource alone', () => {
  const { caller, keep, knows, pass } = setUp();
  keep('Bearer a', caller('1'));
  expect(knows('Bearer a')).toBe(true);
  expect(knows('Bearer b')).toBe(false);
  expect(knows('Bearer a', 'another')).toBe(false);
  pass(5_001);
  expect(knows('Bearer a')).toBe(false);
});

test('never longer than the token itself is good', () => {
  const { caller, keep, knows, pass } = setUp();
  keep('Bearer a', caller('1', 1_000_500));
  pass(501);
  expect(knows('Bearer a')).toBe(false);
});

test('a revocation forgets its token at once, and all of them when notices were missed', () => {
  const { caller, keep, knows, revoke } = setUp();
  keep('Bearer a', caller('1'));
  keep('Bearer b', caller('2'));
  revoke('1');
  expect([knows('Bearer a'), knows('Bearer b')]).toEqual([false, true]);
  revoke(undefined);
  expect(knows('Bearer b')).toBe(false);
});

test('what was read from the database before a revocation is not kept after it', () => {
  const { remembered, caller, knows, revoke } = setUp();
  const found = remembered.find('Bearer a', 'r');
  revoke('1');
  if ('keep' in found) found.keep(caller('1'));
  expect(knows('Bearer a')).toBe(false);
});
