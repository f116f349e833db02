import { expect, test } from 'vitest';
import { testServer } from '../testing/test-server.ts';
import { addressOf } from './upstream-target.ts';

const allowAddresses = ['10.0.0.5:8080'];
const services = {
  secret: '',
  names: new Set<string>(),
  address: () => undefined,
  restartsInMs: () => undefined,
  start: async () => {},
  onChange: () => {},
  pids: () => new Map(),
  beginStop: () => {},
  stop: async () => {},
};
const allowedFor = (url: string) =>
  addressOf(testServer({ id: 'a', connection: { type: 'http', url } }), { services, allowAddresses }).allowAddresses;

test("a server on the internet cannot redirect us to the operator's private addresses; a private one can", () => {
  expect(allowedFor('https://public.example/mcp')).toEqual([]);
  expect(allowedFor('http://10.0.0.5:8080/mcp')).toEqual(allowAddresses);
});
