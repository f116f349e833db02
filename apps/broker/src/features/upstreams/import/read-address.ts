import { NotImportable, type Named, type Target } from './wanted.ts';
import { looksSecret, soundsSecret } from './sounds-secret.ts';

/** Headers that every client sets itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'mcp-protocol-version',
  'mcp-session-id',
  'origin',
  'user-agent',
]);

const connections: Readonly<Record<string, 'http' | 'websocket'>> = {
  'http:': 'http',
  'https:': 'http',
  'ws:': 'websocket',
  'wss:': 'websocket',
};

/**
 * Reads a server at an address. Drops the values of its headers: the operator enters them.
 * @throws NotImportable
 */
export function readAddress(address: string, headers: readonly Named[]): Target {
  const open = placeholderIn(address);
  if (open !== undefined) {
    throw new NotImportable(`its address has ${open} in it, whose value only you know: write the whole address`);
  }
  const url = URL.parse(address);
  if (!url || /[{}]/.test(address)) throw new NotImportable('its address is not a complete URL');
  const type = connections[url.protocol];
  if (type === undefined) throw new NotImportable(`Souk cannot connect to ${url.protocol} addresses`);
  refuseSecrets(url);
  url.hash = '';
  const byName = new Map(headers.map((header) => [header.name.trim().toLowerCase(), header]));
  const wanted = [...byName.values()].filter(({ name }) => !ownHeaders.has(name.trim().toLowerCase()));
  return {
    kind: 'address',
    type,
    url: url.href,
    headers: wanted.map(({ name, description }) => ({ name: name.trim(), description })),
  };
}

/** Returns a placeholder in an address: `${…}`, `{…}` or `<…>`, even if it is encoded. */
function placeholderIn(address: string): string | undefined {
  const text = address.replaceAll(/%7b/gi, '{').replaceAll(/%7d/gi, '}');
  const found = /\{[^{}]{1,100}\}/.exec(text) ?? /<[^<>]{1,100}>/.exec(text);
  if (!found) return undefined;
  return `${text[found.index - 1] === '$' ? '$' : ''}${found[0]}`;
}

function refuseSecrets(url: URL): void {
  const refuse = (what: string) =>
    new NotImportable(`its address carries ${what}, which does not belong in a manifest: use a header`);
  if (url.username !== '' || url.password !== '') throw refuse('a user name or password');
  const parameter = [...url.searchParams].find(([name, value]) => soundsSecret(name) || looksSecret(value));
  if (parameter) throw refuse(`a secret (?${parameter[0]}=)`);
  if (url.pathname.split('/').some(looksSecret)) throw refuse('what looks like a secret (a part of its path)');
}

/** Note for the older transport, where servers answer GET with a stream and receive messages at another address. */
export const oldTransportNote =
  'It is configured for the older HTTP+SSE transport. Souk speaks Streamable HTTP: ask for that address, often /mcp.';
