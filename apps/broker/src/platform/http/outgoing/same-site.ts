import { isIP } from 'node:net';
import { bareHost } from './allowed-addresses.ts';
import { isLoopbackName } from './local-name.ts';
import { isSharedHost } from './shared-hosts.ts';

/** Top-level domains of countries below which a name is registered directly, beside `generic` ones. */
const direct: ReadonlySet<string> = new Set(
  `ac ai at au be ca cc ch co cz de dk ee eu fi fm fr gg gl ie io is li lt lu lv ly me nl sh sk so to tv uk us
  ws`.split(/\s+/),
);
/** Second labels below which names of a country are registered: co.uk, com.au. */
const generic: ReadonlySet<string> = new Set(
  `ac asn co com edu go gob gouv gov gv govt id ind ltd me mil ne net nhs nom or org plc police press sch tm`.split(
    /\s+/,
  ),
);
/** Top-level domains that are not of a country, and have names at their third level too. */
const deep: ReadonlySet<string> = new Set(['aero', 'arpa', 'museum', 'name', 'pro']);

/**
 * Whether two hosts belong to one party, as far as their names tell: the same host, this machine itself, or the same registered
 * domain. Public suffixes are not listed here whole: where it is not certain which part of a name was registered, two hosts are two
 * parties. A question too many is asked then, and nothing is trusted that should not be.
 * @param one a host as it stands in a URL: brackets are allowed
 */
export function isSameSite(one: string, other: string): boolean {
  const [a, b] = [nameOf(one), nameOf(other)];
  if (a === b || (isLoopbackName(a) && isLoopbackName(b))) return true;
  const domain = registeredDomain(a);
  return domain !== undefined && domain === registeredDomain(b);
}

const nameOf = (host: string) => bareHost(host).toLowerCase().replace(/\.$/, '');

/** Undefined where none can be told: IP addresses, names of one word, hosts whose domain many parties share. */
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
