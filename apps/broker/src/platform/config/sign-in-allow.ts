import { domainToASCII, domainToUnicode } from 'node:url';
import { foldEmail } from '@souk/contract/fold-email.ts';

/** The verified e-mail addresses that may sign in: whole domains and single addresses. Lower case, domains in ASCII. */
export type SignInAllow = { domains: ReadonlySet<string>; addresses: ReadonlySet<string> };

// eslint-disable-next-line no-control-regex
const isAscii = /^[\u0000-\u007F]*$/;
const domainPattern = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/;

/**
 * Reads the entries of SIGN_IN_ALLOW. A domain does not include its sub-domains.
 * @param problems gets one for each entry that is neither a domain nor an address
 */
export function readSignInAllow(entries: readonly string[], problems: string[]): SignInAllow {
  const domains = new Set<string>();
  const addresses = new Set<string>();
  for (const entry of entries) {
    const at = entry.indexOf('@');
    const address = at > 0 ? normalize(entry) : undefined;
    const domain = at > 0 ? undefined : normalizeDomain(at === 0 ? entry.slice(1) : entry);
    if (address !== undefined) addresses.add(address);
    else if (domain !== undefined) domains.add(domain);
    else {
      problems.push(
        `SIGN_IN_ALLOW: ${entry} is neither a domain (acme.example) nor an address (ana@acme.example); sub-domains are named one by one`,
      );
    }
  }
  return { domains, addresses };
}

/** Whether the user with this verified address may sign in. Without a list, everyone may. */
export function maySignIn(allow: SignInAllow | undefined, email: string): boolean {
  if (!allow) return true;
  const address = normalize(email);
  if (address === undefined) return false;
  return allow.addresses.has(address) || allow.domains.has(address.slice(address.indexOf('@') + 1));
}

export function describeSignInAllow(allow: SignInAllow | undefined): string {
  return allow ? [...allow.domains, ...allow.addresses].join(', ') : 'everyone (SIGN_IN_ALLOW can restrict it)';
}

/** Accepts exactly one @, so that every program finds the same domain in the address. */
function normalize(email: string): string | undefined {
  const [local, domainText, ...more] = foldEmail(email).split('@');
  const domain = isDomainAsWritten(domainText ?? '') ? normalizeDomain(domainText ?? '') : undefined;
  return local === undefined || local === '' || domain === undefined || more.length > 0
    ? undefined
    : `${local}@${domain}`;
}

/**
 * Whether a domain is spelled as its U-label (RFC 5890, section 2.3.2.1). IDNA also maps other letters to ASCII, such as
 * full-width ones, and programs disagree on who owns such an address.
 */
function isDomainAsWritten(text: string): boolean {
  return isAscii.test(text) || domainToUnicode(domainToASCII(text)) === text;
}

function normalizeDomain(text: string): string | undefined {
  const domain = domainToASCII(text);
  return domainPattern.test(domain) ? domain : undefined;
}
