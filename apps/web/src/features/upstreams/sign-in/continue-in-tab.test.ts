import { expect, test } from 'vitest';
import { continueInTab, pathAfter, takeContinuation } from './continue-in-tab.ts';

const authUrl = 'https://auth.example/authorize?state=s1';
const what = { userId: 'u1', serverId: 'notes', enables: true };

function openTab(pathname: string) {
  const entries = new Map<string, string>();
  const left: string[] = [];
  const host = {
    pathname,
    leaveTo: (address: string) => void left.push(address),
    storage: {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, value: string) => void entries.set(key, value),
      removeItem: (key: string) => void entries.delete(key),
    },
  };
  return { host, left, entries };
}

test('a tab that leaves for a sign-in remembers once what it was about to do', () => {
  const { host, left } = openTab('/service/notes');
  continueInTab(authUrl, what, host);
  expect(left).toEqual([authUrl]);
  expect(takeContinuation('s1', host)).toEqual({ ...what, state: 's1', screen: 'service' });
  expect(takeContinuation('s1', host)).toBeUndefined();
});

test('another sign-in, and an unreadable entry, continue nothing', () => {
  const { host, entries } = openTab('/connect/notes');
  continueInTab(authUrl, what, host);
  expect(takeContinuation('s2', host)).toBeUndefined();
  entries.set('souk.connect.continue', '{not json');
  expect(takeContinuation('s1', host)).toBeUndefined();
});

test('without storage the sign-in still continues', () => {
  const { host, left } = openTab('/connect/notes');
  const forbidden = () => {
    throw new Error('forbidden');
  };
  const storage = { getItem: forbidden, setItem: forbidden, removeItem: forbidden };
  continueInTab(authUrl, what, { ...host, storage });
  expect(left).toEqual([authUrl]);
  expect(takeContinuation('s1', { storage })).toBeUndefined();
});

test('the return address is a screen of ours', () => {
  expect(pathAfter({ screen: 'connect', serverId: 'notes' })).toBe('/connect/notes');
  expect(pathAfter({ screen: 'service', serverId: '../x' })).toBe('/service/..%2Fx');
  expect(pathAfter({ screen: 'dashboard', serverId: 'notes' })).toBe('/dashboard');
});
