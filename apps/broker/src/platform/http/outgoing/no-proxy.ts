import { BlockList, isIP } from 'node:net';
import { bareHost } from './allowed-addresses.ts';

type Entry = (host: string, port: number) => boolean;

/**
 * Reads NO_PROXY as curl and undici do: `example.com` and `.example.com` match the host and its sub-domains,
 * `*.example.com` its sub-domains, `host:port` one port, a network (CIDR) the addresses in it, `*` everything. Other entries
 * match nothing.
 */
export function readNoProxy(entries: readonly string[]): (host: string, port: number) => boolean {
  const tests = entries.map(readEntry);
  return (host, port) => {
    const name = bareHost(host).toLowerCase().replace(/\.$/, '');
    return tests.some((test) => test(name, port));
  };
}

function readEntry(text: string): Entry {
  if (text.includes('/')) return inNetwork(text);
  const { host: wanted, port: wantedPort } = splitPort(text.toLowerCase());
  const ofPort = (port: number) => wantedPort === undefined || wantedPort === port;
  if (wanted === '*') return (_host, port) => ofPort(port);
  const name = wanted.replace(/^\*?\./, '');
  if (name === '') return () => false;
  const isItself = (host: string) => host === name && !wanted.startsWith('*');
  return (host, port) => ofPort(port) && (isItself(host) || host.endsWith(`.${name}`));
}

/** Splits host and port. A text with several colons and no brackets is an IPv6 address without a port. */
function splitPort(text: string): { host: string; port: number | undefined } {
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, Math.max(0, colon));
  const portText = text.slice(colon + 1);
  const hasPort = colon !== -1 && /^\d{1,5}$/.test(portText) && (host.endsWith(']') || !host.includes(':'));
  return hasPort ? { host: bareHost(host), port: Number(portText) } : { host: bareHost(text), port: undefined };
}

function inNetwork(text: string): Entry {
  const [address = '', prefixText = ''] = text.split('/');
  const family = isIP(address);
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : -1;
  if (family === 0 || prefix < 0 || prefix > (family === 4 ? 32 : 128)) return () => false;
  const list = new BlockList();
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return (host) => isIP(host) === family && list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
