import { isIP } from 'node:net';
import { bareHost } from './allowed-addresses.ts';
import { isLoopbackName } from './local-name.ts';
import { isSharedHost } from './shared-hosts.ts';

/** Country top-level domains below which names are registered directly, alongside `generic` second labels. */
const direct: ReadonlySet<string> = new Set(
  `ac ai at au be ca cc ch co cz de dk ee eu fi fm fr gg gl ie io is li lt lu lv ly me nl sh sk so to tv uk us
  ws`.split(/\s+/),
);
/** Second labels below which names are registered in countries: co.uk, com.au. */
const generic: ReadonlySet<string> = new Set(
  `ac asn co com edu go gob gouv gov gv govt id ind ltd me mil ne net nhs nom or org plc police press sch tm`.split(
    /\s+/,
  ),
);
/** Other top-level domains with names at their third level. */
const deep: ReadonlySet<string> = new Set(['aero', 'arpa', 'museum', 'name', 'pro']);

/**
 * Whether two hosts belong to one party, as far as their names tell: the same host, this machine itself, or the same
 * registered domain. This is not the whole list of public suffixes: if it is uncertain which part of a name was registered,
 * the hosts count as two parties, which may ask one question too many but trusts nothing wrongly.
 * @param one a host as in a URL: brackets are allowed
 */
export function isSameSite(one: string, other: string): boolean {
  const [a, b] = [nameOf(one), nameOf(other)];
  if (a === b || (isLoopbackName(a) && isLoopbackName(b))) return true;
  const domain = registeredDomain(a);
  return domain !== undefined && domain === registeredDomain(b);
}

const nameOf = (host: string) => bareHost(host).toLowerCase().replace(/\.$/, '');

/** Returns the registered domain; undefined if uncertain: IP addresses, names of one word, domains that many parties share. */
function registeredDomain(host: string): string | undefined {
  const labels = host.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  if (isIP(host) !== 0 || labels.length < 2 || isSharedHost(host)) return undefined;
  const isOfCountry = top.length === 2;
  if (isOfCountry && generic.has(second)) return labels.length < 3 ? undefined : labels.slice(-3).join('.');
  // such as uk.com and ca.us
  const isShort = second.length <= 2;
  const isDirect = isOfCountry ? direct.has(top) : !deep.has(top);
  return isDirect && !isShort ? labels.slice(-2).join('.') : undefined;
}
