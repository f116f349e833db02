import { BlockList, isIP } from 'node:net';
import type { AllowEntry, LimitedEntry } from './limited-entry.ts';

/** The addresses of UPSTREAM_ALLOW_ADDRESSES, where upstreams may be private, and may use plain http. */
export type AllowedAddresses = {
  /** Whether the operator names exactly this host and port, regardless of what the host resolves to. */
  hasHost(host: string, port: number): boolean;
  /** Returns the entry that allows an address, preferably the operator's. */
  entryFor(host: string, address: string, port: number): AllowEntry | undefined;
  /** Whether a host is allowed, or is a name that may resolve into an allowed network. */
  mayHave(host: string, port: number): boolean;
};

type Network = { list: BlockList; family: 4 | 6; address: string; prefix: number; port: number | undefined };
type Entry = { host: string; port: number } | Network;
type Written<E> = E & { text: string };
type Limited = { parsed: Entry; by: LimitedEntry };

const operatorExample =
  'for example 10.0.0.5:8080, mcp.internal:8080, [fd00::5]:8080, 10.0.0.0/8, 10.0.0.0/8:8080 or [fd00::/8]:8080';

/** Examples of what an administrator may write: no network without a port, and no large one. */
const limitedExample =
  'for example 10.0.0.5:8080, mcp.internal:8080, [fd00::5]:8080, 10.0.5.0/24:8080 or [fd00::/120]:8080';

/** Parses an entry into its parts, with the host as URLs write it. @returns what is wrong with it, if it is invalid */
export function readAddressEntry(
  text: string,
): { host: string; port: number } | { address: string; prefix: number; port: number | undefined } | string {
  const entry = parseEntry(text, limitedExample);
  if (typeof entry === 'string' || 'host' in entry) return entry;
  const { address, prefix, port } = entry;
  return { address, prefix, port };
}

/** Says what is wrong with an entry; undefined if it is a host and port or a network. */
export function addressEntryProblem(text: string): string | undefined {
  const entry = parseEntry(text);
  return typeof entry === 'string' ? entry : undefined;
}

const parsed = new WeakMap<readonly AllowEntry[], AllowedAddresses>();

/** Reads `host:port` and CIDR entries, once per list, since every connection has a guard. Other entries allow nothing. */
export function allowedAddresses(entries: readonly AllowEntry[]): AllowedAddresses {
  const known = parsed.get(entries);
  if (known) return known;
  /** Each entry as it was written, by host and port. */
  const hosts = new Map<string, string>();
  const networks: Written<Network>[] = [];
  const limited: Limited[] = [];
  for (const text of entries) {
    const entry = parseEntry(typeof text === 'string' ? text : text.entry);
    if (typeof entry === 'string') continue;
    if (typeof text !== 'string') {
      limited.push({ parsed: entry, by: text });
      continue;
    }
    if ('host' in entry) hosts.set(`${entry.host} ${entry.port}`, text);
    else networks.push({ ...entry, text });
  }
  const entryOfHost = (host: string, port: number) => hosts.get(`${bareHost(host).toLowerCase()} ${port}`);
  const hasHost = (host: string, port: number) => entryOfHost(host, port) !== undefined;
  // attackers write IPv4-mapped IPv6 addresses: only an entry of its own allows one
  const entryOfAddress = (address: string, port: number) =>
    /^::ffff:/i.test(address) ? undefined : networks.find((network) => contains(network, address, port))?.text;
  const allowed: AllowedAddresses = {
    hasHost,
    entryFor: (host, address, port) =>
      entryOfHost(host, port) ??
      entryOfAddress(address, port) ??
      limited.find((one) => isNamedBy(one, bareHost(host), address, port) && one.by.opens(address, port))?.by,
    mayHave(host, port) {
      const bare = bareHost(host);
      if (hasHost(bare, port)) return true;
      if (limited.some((one) => mayBeNamedBy(one, bare, port))) return true;
      return isIP(bare) === 0
        ? networks.some((network) => isOnPort(network, port))
        : entryOfAddress(bare, port) !== undefined;
    },
  };
  parsed.set(entries, allowed);
  return allowed;
}

const isOnPort = (network: Network, port: number) => network.port === undefined || network.port === port;

function contains(network: Network, address: string, port: number): boolean {
  const { family, list } = network;
  return isIP(address) === family && isOnPort(network, port) && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

function isNamedBy({ parsed: entry }: Limited, host: string, address: string, port: number): boolean {
  return 'host' in entry ? entry.host === host.toLowerCase() && entry.port === port : contains(entry, address, port);
}

/** Whether an entry may allow a host. For a name, the guard decides when it is resolved. */
function mayBeNamedBy(one: Limited, host: string, port: number): boolean {
  if (isIP(host) !== 0) return isNamedBy(one, host, host, port) && one.by.opens(host, port);
  const { parsed: entry } = one;
  return 'host' in entry ? isNamedBy(one, host, host, port) : isOnPort(entry, port);
}

/** Removes the brackets in which URLs write IPv6 literals. */
export function bareHost(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** Returns the port of a URL, by default the scheme's. */
export function portOf(url: { protocol: string; port: string }): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' || url.protocol === 'wss:' ? 443 : 80;
}

/** Parses an entry. @returns what is wrong with it, if it is invalid */
function parseEntry(text: string, example = operatorExample): Entry | string {
  if (text.length > 300) return `"${text.slice(0, 40)}…" is too long`;
  return text.includes('/') ? parseNetwork(text, example) : parseHost(text, example);
}

function parseNetwork(text: string, example: string): Network | string {
  const match =
    /^\[([^[\]/]+)\/(\d{1,3})\]:(\d{1,5})$/.exec(text) ?? /^([^[\]/]+)\/(\d{1,3})(?::(\d{1,5}))?$/.exec(text);
  const [, address = '', prefixText = '', portText] = match ?? [];
  const family = isIP(address);
  if (family !== 4 && family !== 6) return `"${text}" is not a network: ${example}`;
  const prefix = Number(prefixText);
  const longest = family === 4 ? 32 : 128;
  if (prefix < 1 || prefix > longest) return `"${text}" must have a prefix from 1 to ${longest}`;
  const port = portText === undefined ? undefined : readPort(portText);
  if (portText !== undefined && port === undefined) return `"${text}" has no port from 1 to 65535`;
  const list = new BlockList();
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return { list, family, address, prefix, port };
}

function parseHost(text: string, example: string): Entry | string {
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, Math.max(0, colon));
  if (isIP(text) !== 0 || colon < 1) return `"${text}" has no port: ${example}`;
  const port = readPort(text.slice(colon + 1));
  if (port === undefined) return `"${text}" has no port from 1 to 65535`;
  if (host.includes(':') && !host.startsWith('['))
    return `"${text}" needs brackets around the IPv6 address: ${example}`;
  // As URLs write it, so that comparisons are exact: lower case, 0x7f.1 as 127.0.0.1, IPv6 in its short form.
  const url = /[@?#\\\s]/.test(host) ? null : URL.parse(`http://${host}`);
  if (!url || url.hostname === '' || url.port !== '') return `"${text}" is not a host and port: ${example}`;
  return { host: bareHost(url.hostname), port };
}

function readPort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}
