import { asRecord } from '#platform/json.ts';
import { NotImportable } from './wanted.ts';

/** How requests of an entry are authorized, without credentials: the operator or each user enters them here. */
type Way =
  | { kind: 'none' }
  /** `form`: format of the header's value. */
  | { kind: 'header'; name: string; form?: 'Bearer' | 'Basic' | undefined }
  /** `client`: members of another product's registration at the server. */
  | { kind: 'oauth'; scopes: string[]; client: string[] };
/** `members`: the members that it was read from. */
export type SignIn = Way & { members: string[] };

const none: Way = { kind: 'none' };
const bearer: Way = { kind: 'header', name: 'Authorization', form: 'Bearer' };

/** Members whose value is a token, or the name of a variable that holds one. */
export const tokenMembers: readonly string[] = [
  'authorization',
  'authorization_token',
  'authorizationToken',
  'auth_token',
  'authToken',
  'access_token',
  'accessToken',
  'bearer',
  'bearer_token',
  'bearerToken',
  'bearer_token_env_var',
  'bearerTokenEnvVar',
];
/** Members that say how a client signs in. */
export const wayMembers: readonly string[] = ['auth', 'oauth', 'oauth2', 'authentication'];

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '' && value !== false;

/** @throws NotImportable that names the member */
export function readSignIn(entry: Record<string, unknown>): SignIn {
  const token = tokenMembers.find((member) => isGiven(entry[member]));
  if (token !== undefined) return { ...ofToken(entry[token], token), members: [token] };
  const members: string[] = [];
  for (const member of wayMembers.filter((one) => isGiven(entry[one]))) {
    members.push(member);
    const found = ofWay(entry[member], member, entry);
    if (found.kind !== 'none') return { ...found, members: found.kind === 'oauth' ? [...members, 'scopes'] : members };
  }
  // Codex: the scopes that it asks for when its user signs in
  return isGiven(entry['scopes']) ? { ...oauth({}, entry), members: [...members, 'scopes'] } : { ...none, members };
}

function ofToken(value: unknown, member: string): Way {
  const given = asRecord(value);
  if (given) return ofObject(given, member);
  if (typeof value !== 'string') throw new NotImportable(`its "${member}" has to be a text`);
  // values such as "Basic …" contain their scheme
  return /\s/.test(value.trim()) ? { kind: 'header', name: 'Authorization' } : bearer;
}

function ofWay(value: unknown, member: string, entry: Record<string, unknown>): Way {
  if (value === true && member !== 'auth' && member !== 'authentication') return oauth({}, entry);
  if (typeof value === 'string') {
    return ofType(value, member, {}, entry) ?? (isOAuthMember(member) ? oauth({}, entry) : bearer);
  }
  const given = asRecord(value);
  if (!given) throw notUnderstood(member);
  return ofObject(given, member, entry);
}

function ofObject(given: Record<string, unknown>, member: string, entry: Record<string, unknown> = {}): Way {
  if (given['enabled'] === false) return none;
  const type = given['type'] ?? given['kind'] ?? given['method'] ?? given['scheme'];
  if (typeof type === 'string') {
    const found = ofType(type, member, given, entry);
    if (found) return found;
    throw notUnderstood(member);
  }
  if (isOAuthMember(member)) return oauth(given, entry);
  const names = Object.keys(given);
  if (names.some((name) => /token|bearer/i.test(name) && isGiven(given[name]) && !/endpoint|url/i.test(name))) {
    return bearer;
  }
  if (names.some((name) => /^(?:username|password)$/i.test(name))) return basic;
  if (names.some((name) => /client|scope|issuer|redirect|grant|flow|endpoint/i.test(name))) return oauth(given, entry);
  throw notUnderstood(member);
}

const basic: Way = { kind: 'header', name: 'Authorization', form: 'Basic' };
const isOAuthMember = (member: string) => member.startsWith('oauth');

/** Returns undefined for a word that does not name a sign-in. */
function ofType(
  type: string,
  member: string,
  given: Record<string, unknown>,
  entry: Record<string, unknown>,
): Way | undefined {
  const plain = type.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (['none', 'noauth', 'anonymous'].includes(plain)) return none;
  if (plain.startsWith('oauth') || plain === 'oidc') return oauth(given, entry);
  if (plain === 'bearer' || plain === 'bearertoken' || plain === 'token') return bearer;
  if (plain === 'basic') return basic;
  if (plain === 'apikey' || plain === 'header' || plain === 'customheader') {
    const name = given['name'] ?? given['header'] ?? given['headerName'] ?? given['header_name'];
    if (typeof name !== 'string' || name === '') throw notUnderstood(member);
    return { kind: 'header', name };
  }
  return undefined;
}

function oauth(given: Record<string, unknown>, entry: Record<string, unknown>): Way {
  const asked = given['scopes'] ?? given['scope'] ?? entry['scopes'];
  const listed = typeof asked === 'string' ? asked.split(/[\s,]/) : Array.isArray(asked) ? asked.map(String) : [];
  const client = Object.keys(given).filter((name) => /client.?(?:id|secret)/i.test(name) && isGiven(given[name]));
  return { kind: 'oauth', scopes: listed.filter((scope) => scope !== ''), client };
}

function notUnderstood(member: string): NotImportable {
  return new NotImportable(
    `its "${member}" does not say how it signs in: write "headers" with the names of its headers, or "auth": "oauth"`,
  );
}
