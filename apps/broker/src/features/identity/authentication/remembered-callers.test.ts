import { expect, test } from 'vitest';
import type { Caller } from '#platform/http/caller.ts';
import type { RevokedListener } from '../revocations.ts';
import { rememberCallers } from './remembered-callers.ts';

type Refusal = { challenge: string };

function setUp() {
  let nowMs = 1_000_000;
  const listeners = new Set<RevokedListener>();
  const remembered = rememberCallers<Refusal>(
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
  const verifyAs = (authorization: string, verify: () => Promise<{ caller: Caller } | Refusal>, resource = 'r') =>
    remembered.findOrVerify(authorization, resource, verify);
  const keep = (authorization: string, kept: Caller) => verifyAs(authorization, async () => ({ caller: kept }));
  const knows = (authorization: string, resource = 'r') => remembered.find(authorization, resource) !== undefined;
  const revoke = (tokenId: string | undefined) => listeners.forEach((listener) => listener({ tokenId }));
  return { verifyAs, caller, keep, knows, revoke, pass: (ms: number) => (nowMs += ms) };
}

test('a caller is remembered for 5 s, for this token and this resource only', async () => {
  const { caller, keep, knows, pass } = setUp();
  await keep('Bearer a', caller('1'));
  expect(knows('Bearer a')).toBe(true);
  expect(knows('Bearer b')).toBe(false);
  expect(knows('Bearer a', 'another')).toBe(false);
  pass(5_001);
  expect(knows('Bearer a')).toBe(false);
});

test('never longer than the token is valid', async () => {
  const { caller, keep, knows, pass } = setUp();
  await keep('Bearer a', caller('1', 1_000_500));
  pass(501);
  expect(knows('Bearer a')).toBe(false);
});

test('a revocation forgets its token immediately, and all tokens if notices were missed', async () => {
  const { caller, keep, knows, revoke } = setUp();
  await keep('Bearer a', caller('1'));
  await keep('Bearer b', caller('2'));
  revoke('1');
  expect([knows('Bearer a'), knows('Bearer b')]).toEqual([false, true]);
  revoke(undefined);
  expect(knows('Bearer b')).toBe(false);
});

/** A verification that answers when the test says so. */
function pending() {
  const { promise, resolve } = Promise.withResolvers<{ caller: Caller } | Refusal>();
  let asked = 0;
  return { verify: () => (asked++, promise), answer: resolve, asked: () => asked };
}

test('concurrent requests with one token cost one verification, also if it is refused', async () => {
  const { verifyAs, caller, knows } = setUp();
  const good = pending();
  const requests = [1, 2, 3].map(() => verifyAs('Bearer a', good.verify));
  good.answer({ caller: caller('1') });
  expect(await Promise.all(requests)).toEqual([1, 2, 3].map(() => ({ caller: caller('1') })));
  expect(good.asked()).toBe(1);
  expect(knows('Bearer a')).toBe(true);

  const bad = pending();
  const refused = [verifyAs('Bearer b', bad.verify), verifyAs('Bearer b', bad.verify)];
  bad.answer({ challenge: 'no' });
  expect(await Promise.all(refused)).toEqual([{ challenge: 'no' }, { challenge: 'no' }]);
  expect(bad.asked()).toBe(1);
  // a refusal is not cached
  await verifyAs('Bearer b', bad.verify);
  expect(bad.asked()).toBe(2);
});

test('after a revocation nothing that was read before it is kept, nor does a request wait for it', async () => {
  const { verifyAs, caller, knows, revoke } = setUp();
  const before = pending();
  const after = pending();
  const early = verifyAs('Bearer a', before.verify);
  revoke('1');
  const late = verifyAs('Bearer a', after.verify);
  before.answer({ caller: caller('1') });
  await early;
  expect(knows('Bearer a')).toBe(false);
  after.answer({ challenge: 'revoked' });
  expect(await late).toEqual({ challenge: 'revoked' });
});

test('a failed verification is retried', async () => {
  const { verifyAs, keep, caller, knows } = setUp();
  await expect(verifyAs('Bearer a', () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
  await keep('Bearer a', caller('1'));
  expect(knows('Bearer a')).toBe(true);
});
