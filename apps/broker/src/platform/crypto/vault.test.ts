import { randomBytes } from 'node:crypto';
import { assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createVault, SealedTextError } from './vault.ts';

const newKey = () => randomBytes(32).toString('base64url');
const place = { table: 'upstream_grants', row: 'row-1', userId: 'user-1' };

const sameBytes = (a: string, b: string) => bytesOf(a) === bytesOf(b);
const bytesOf = (sealed: string) => {
  const [head, keyId, ...boxes] = sealed.split('.');
  return JSON.stringify([head, keyId, boxes.map((box) => Buffer.from(box, 'base64url').toString('hex'))]);
};

describe('the vault', () => {
  test('a sealed secret opens in its own place, and does not contain its plain text', () => {
    const vault = createVault(newKey());
    assert(
      property(string({ unit: 'grapheme' }), (secret) => {
        expect(vault.open(place, vault.seal(place, secret))).toBe(secret);
      }),
    );
    const canary = 'canary-8d1f';
    const sealed = vault.seal(place, canary);
    expect(sealed).not.toContain(canary);
    expect(Buffer.from(sealed.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain(canary);
  });

  test.each([
    ['another table', { ...place, table: 'tokens' }],
    ['another row', { ...place, row: 'row-2' }],
    ['another user', { ...place, userId: 'user-2' }],
    ['a shifted boundary', { ...place, row: 'row-1user', userId: '-1' }],
  ])('a secret copied to %s does not open', (_, elsewhere) => {
    const vault = createVault(newKey());
    expect(() => vault.open(elsewhere, vault.seal(place, 'secret'))).toThrow(SealedTextError);
  });

  test('one changed byte anywhere is refused', () => {
    const vault = createVault(newKey());
    const sealed = vault.seal(place, 'secret');
    for (const [index, character] of [...sealed].entries()) {
      const changed = sealed.slice(0, index) + (character === 'A' ? 'B' : 'A') + sealed.slice(index + 1);
      if (sameBytes(changed, sealed)) continue; // the last character of base64url may contain unused bits
      expect(() => vault.open(place, changed), `character ${index}`).toThrow(SealedTextError);
    }
  });

  test('the same secret is sealed differently each time', () => {
    const vault = createVault(newKey());
    expect(vault.seal(place, 'secret')).not.toBe(vault.seal(place, 'secret'));
  });

  test('after a rotation the old key still opens what it sealed, and new secrets are sealed under the new one', () => {
    const [old, fresh] = [newKey(), newKey()];
    const sealedBefore = createVault(old).seal(place, 'secret');
    const rotated = createVault(fresh, [old]);
    expect(rotated.open(place, sealedBefore)).toBe('secret');
    expect(rotated.isCurrent(sealedBefore)).toBe(false);
    const sealedAfter = rotated.seal(place, 'secret');
    expect(createVault(fresh).open(place, sealedAfter)).toBe('secret');
    expect(() => createVault(fresh).open(place, sealedBefore)).toThrow('is not configured');
  });

  test.each(['', 'plain', 'v1.a.b', 'v2.a.b.c', 'v1.a.b.c.d'])('%j is not a sealed text', (text) => {
    expect(() => createVault(newKey()).open(place, text)).toThrow(SealedTextError);
  });

  test('a master key of another length is refused', () => {
    expect(() => createVault(randomBytes(16).toString('base64url'))).toThrow('32 bytes');
  });
});
