import { asRecord } from '#platform/json.ts';
import { NotImportable } from './wanted.ts';

/** How requests of an entry are authorized. Contains no credentials: the operator or each user enters them here. */
type SignInMethod =
  | { kind: 'none' }
  /** `form`: format of the header's value. */
  | { kind: 'header'; name: string; form?: 'Bearer' | 'Basic' | undefined }
  /** `client`: members of another product's registration at the server. */
  | { kind: 'oauth'; scopes: string[]; client: string[] };
/** A sign-in, and the members that it was read from. */
export type SignIn = SignInMethod & { members: string[] };

const none: SignInMethod = { kind: 'none' };
const bearer: SignInMethod = { kind: 'header', name: 'Authorization', form: 'Bearer' };

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
export const signInMembers: readonly string[] = ['auth', 'oauth', 'oauth2', 'authentication'];

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '' && value !== false;

/** Reads how a client signs in. @throws NotImportable that names the member */
export function readSignIn(entry: Record<string, unknown>): SignIn {
  const token = tokenMembers.find((member) => isGiven(entry[member]));
  if (token !== undefined) return { ...fromToken(entry[token], token), members: [token] };
  const members: string[] = [];
  for (const member of signInMembers.filter((one) => isGiven(entry[one]))) {
    members.push(member);
    const found = fromMember(entry[member], member, entry);
    if (found.kind !== 'none') return { ...found, members: found.kind === 'oauth' ? [...members, 'scopes'] : members };
  }
  // Codex lists the scopes that it requests when its user signs in
  return isGiven(entry['scopes']) ? { ...oauth({}, entry), members: [...members, 'scopes'] } : { ...none, members };
}

function fromToken(value: unknown, member: string): SignInMethod {
  const given = asRecord(value);
  if (given) return fromObject(given, member);
  if (typeof value !== 'string') throw new NotImportable(`its "${member}" has to be a text`);
  // values such as "Basic …" contain their scheme
  return /\s/.test(value.trim()) ? { kind: 'header', name: 'Authorization' } : bearer;
}

function fromMember(value: unknown, member: string, entry: Record<string, unknown>): SignInMethod {
  if (value === true && member !== 'auth' && member !== 'authentication') return oauth({}, entry);
  if (typeof value === 'string') {
    return fromType(value, member, {}, entry) ?? (isOAuthMember(member) ? oauth({}, entry) : bearer);
  }
  const given = asRecord(value);
  if (!given) throw notUnderstood(member);
  return fromObject(given, member, entry);
}

function fromObject(given: Record<string, unknown>, member: string, entry: Record<string, unknown> = {}): SignInMethod {
  if (given['enabled'] === false) return none;
  const type = given['type'] ?? given['kind'] ?? given['method'] ?? given['scheme'];
  if (typeof type === 'string') {
    const found = fromType(type, member, given, entry);
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

const basic: SignInMethod = { kind: 'header', name: 'Authorization', form: 'Basic' };
const isOAuthMember = (member: string) => member.startsWith('oauth');

/** Returns the sign-in that a word names; undefined for other words. */
function fromType(
  type: string,
  member: string,
  given: Record<string, unknown>,
  entry: Record<string, unknown>,
): SignInMethod | undefined {
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

function oauth(given: Record<string, unknown>, entry: Record<string, unknown>): SignInMethod {
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
