import { expect, test } from 'vitest';
import { addressGroup } from './address-group.ts';

test('an IPv4 address is its own group, also inside IPv6', () => {
  expect(addressGroup('203.0.113.7')).toBe('203.0.113.7');
  expect(addressGroup('::ffff:203.0.113.7')).toBe('203.0.113.7');
  expect(addressGroup('::FFFF:203.0.113.8')).not.toBe(addressGroup('203.0.113.7'));
});

test('IPv6 addresses of one /64 are one group, in every spelling, and other addresses are not', () => {
  const one = addressGroup('2001:db8:1:2:3:4:5:6');
  for (const same of [
    '2001:db8:1:2::',
    '2001:0DB8:0001:0002:ffff::1',
    '2001:db8:1:2::203.0.113.7',
    '2001:db8:1:2::9%eth0',
  ]) {
    expect(addressGroup(same), same).toBe(one);
  }
  for (const other of ['2001:db8:1:3::1', '2001:db8:1::2', '::1', '2001:db8::1:2:3:4:5']) {
    expect(addressGroup(other), other).not.toBe(one);
  }
  expect(addressGroup('::1')).toBe('0:0:0:0::/64');
  expect(addressGroup('fe80::')).toBe('fe80:0:0:0::/64');
});

test('text that is not an address is its own group', () => {
  expect(addressGroup('address 7')).toBe('address 7');
});
