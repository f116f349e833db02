import { expect, test } from 'vitest';
import { limitProcessor } from '#testing/figures/limits.ts';
import { readUriTemplate } from './uri-template.ts';

test.each([
  ['file:///{path}', 'file:///a', true],
  ['file:///{path}', 'file:///a/b', false],
  ['file:///{+path}', 'file:///a/b', true],
  ['file:///{path}', 'file:///', false],
  ['demo://text/{id}/of/{name}', 'demo://text/1/of/ann', true],
  ['demo://text/{id}/of/{name}', 'demo://text/1/of/', false],
  ['demo://text/{id}/of/{name}', 'demo://text/1/at/ann', false],
  ['demo://{a,b}', 'demo://1,2', true],
  ['demo://{a}', 'demo://1,2', false],
  ['demo://x{/a,b}', 'demo://x/1/2', true],
  ['demo://x{.ending}', 'demo://x.png', true],
  ['demo://x{;flag}', 'demo://x;flag=1', true],
  ['demo://x{#part}', 'demo://x#two', true],
  ['demo://search{?q,limit}', 'demo://search?q=a&limit=2', true],
  ['demo://search{?q,limit}', 'demo://search', true],
  ['demo://search{?q}', 'demo://searching', false],
  ['demo://search?q=a{&more}', 'demo://search?q=a&more=1', true],
  ['{+all}', 'anything://at/all', true],
  ['demo://plain', 'demo://plain', true],
  ['demo://plain', 'demo://plainer', false],
  ['demo://{a}aab', 'demo://xaaab', true],
  ['demo://{', 'demo://{', false],
  ['demo://{}', 'demo://x', false],
  ['', '', true],
])('%s and %s: %s', (template, address, expected) => {
  expect(readUriTemplate(template).matches(address)).toBe(expected);
});

test('more than eight variables or two KiB match nothing', () => {
  const variables = (count: number) => `x:${'{+v}'.repeat(count)}`;
  expect(readUriTemplate(variables(8)).matches('x:12345678')).toBe(true);
  expect(readUriTemplate(variables(9)).matches('x:123456789')).toBe(false);
  expect(readUriTemplate('x:{+v}').matches(`x:${'a'.repeat(2046)}`)).toBe(true);
  expect(readUriTemplate('x:{+v}').matches(`x:${'a'.repeat(2047)}`)).toBe(false);
});

test.each([
  ['{+a}{+b}{+c}{+d}{+e}{+f}{+g}{+h}X', 'a'.repeat(2048)],
  [`{+a}${'a'.repeat(1000)}{+b}${'a'.repeat(1000)}X`, 'a'.repeat(2048)],
  ['{+a}/{+b}/{+c}/{+d}X', '/'.repeat(2048)],
  ['{?a,b,c,d,e,f,g,h}X', '?a='.repeat(682)],
])('each lookup of a hostile pair takes under 20 ms of CPU: %.20s', async (template, address) => {
  readUriTemplate(template).matches(address);
  await limitProcessor(2000, () => {
    for (let count = 0; count < 100; count++) expect(readUriTemplate(template).matches(address)).toBe(false);
  });
});
