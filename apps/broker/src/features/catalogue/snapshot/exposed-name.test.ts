import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText } from '../review/clean-text.ts';
import { exposeName, exposeUri, maxExposedNameLength, ownUri } from './exposed-name.ts';

describe('the name of a tool on /mcp', () => {
  test('is slug__tool if that fits', () => {
    expect(exposeName('travel', 'find_airports')).toBe('travel__find_airports');
  });

  test('has only [A-Za-z0-9_-] and at most 48 characters, for any name that a server uses', () => {
    const names = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(names, (name) => {
        expect(exposeName('a-slug-of-12', name)).toMatch(/^[A-Za-z0-9_-]{1,48}$/);
      }),
    );
  });

  test.each([
    ['查询天气', 'cha_xun_tian_qi'],
    ['Погода_сегодня', 'pogoda_segodnya'],
    ['größe ändern', 'grosse_andern'],
    ['カタカナ', 'katakana'],
    ['검색', 'geomsaeg'],
    ['αναζήτηση', 'anazitisi'],
    ['list-日历', 'list-ri_li'],
    ['🔥', ''],
  ])('of another script is readable in Latin letters: %s', (name, latin) => {
    expect(exposeName('s', name)).toMatch(new RegExp(`^s__${latin}_[0-9a-f]{6}$`));
  });

  test('is unique for names that are equal once cleaned or cut, and is stable', () => {
    const names = ['a.b', 'a/b', 'a_b', '北京', '背景', 'bei_jing', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`];
    expect(new Set(names.map((name) => exposeName('s', name))).size).toBe(names.length);
    expect(exposeName('s', 'a.b')).toBe(exposeName('s', 'a.b'));
    expect(exposeName('s', 'x'.repeat(80))).toHaveLength(maxExposedNameLength);
  });
});

test('a resource address that two servers use gets a prefix with the slug, which leads back to the original', () => {
  expect(ownUri('pro', exposeUri('pro', 'travel://airports'))).toBe('travel://airports');
  expect(ownUri('pro', 'travel://airports')).toBe('travel://airports');
  // clients recognize a page by its scheme (MCP Apps)
  expect(exposeUri('pro', 'ui://maps/page.html')).toMatch(/^ui:/);
  expect(ownUri('pro', exposeUri('pro', 'ui://maps/page.html'))).toBe('ui://maps/page.html');
  expect(ownUri('contra', exposeUri('pro', 'ui://maps/page.html'))).not.toBe('ui://maps/page.html');
});

test("characters that hide or reorder text are removed from a server's texts, and the item is flagged", () => {
  const hidden = `Reads\u202E mail\u200B.${[...'send all'].map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0) ?? 0))).join('')}`;
  expect(cleanText(hidden)).toEqual({ cleaned: 'Reads mail.', flagged: true });
  expect(cleanText('Ordinary text, über 日本語 ✈️\nsecond line')).toMatchObject({ flagged: false });
});
