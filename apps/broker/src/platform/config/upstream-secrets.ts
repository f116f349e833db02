import { readFileSync } from 'node:fs';

/** Variables with the operator's settings for servers: header values, client ids, secrets and issuers, and program variables. */
const forms = [
  { prefix: 'UPSTREAM_HEADER_', rest: /^[A-Z0-9]+(?:_[A-Z0-9]+)*__[A-Z0-9_]+$/, form: '{SERVER}__{NAME}' },
  { prefix: 'UPSTREAM_ENV_', rest: /^[A-Z0-9]+(?:_[A-Z0-9]+)*__[A-Z0-9_]+$/, form: '{ALIAS}__{NAME}' },
  { prefix: 'UPSTREAM_CLIENT_ID_', rest: /^[A-Z0-9_]+$/, form: '{SERVER}' },
  { prefix: 'UPSTREAM_CLIENT_SECRET_', rest: /^[A-Z0-9_]+$/, form: '{SERVER}' },
  { prefix: 'UPSTREAM_CLIENT_ISSUER_', rest: /^[A-Z0-9_]+$/, form: '{SERVER}' },
];
export const upstreamPrefixes: readonly string[] = forms.map(({ prefix }) => prefix);

/** An HTTP header's value (RFC 9110, section 5.5), without surrounding spaces. */
const value = /^[\x21-\x7e]([\x20-\x7e]{0,4094}[\x21-\x7e])?$/;
/** A program's variable: any text, possibly of several lines (a key in PEM, JSON). */
const variableValue = /^[^\0]{1,6000}$/;

/**
 * Reads UPSTREAM_HEADER_…, UPSTREAM_CLIENT_ID_…, UPSTREAM_CLIENT_SECRET_…, UPSTREAM_CLIENT_ISSUER_…, UPSTREAM_ENV_… and
 * their …_FILE forms.
 * @param problems gets problems, never a value
 */
export function readUpstreamSecrets(environment: NodeJS.ProcessEnv, problems: string[]): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const [variable, given] of Object.entries(environment)) {
    const known = forms.find(({ prefix }) => variable.startsWith(prefix));
    if (!known || given === undefined || given.trim() === '') continue;
    const { prefix, rest, form } = known;
    if (!rest.test(variable.slice(prefix.length))) {
      problems.push(`${variable} must have the form ${prefix}${form}, in capitals with _ for -`);
      continue;
    }
    const fromFile = variable.endsWith('_FILE');
    const name = fromFile ? variable.slice(0, -'_FILE'.length) : variable;
    if (fromFile && environment[name] !== undefined) problems.push(`${name} and ${variable} are both set: set one`);
    const secret = fromFile ? readText(given.trim()) : given.trim();
    if (secret === undefined) problems.push(`${variable}: cannot read ${given}`);
    else if (name.startsWith('UPSTREAM_ENV_')) {
      if (variableValue.test(secret)) secrets.set(name, secret);
      else problems.push(`${variable} must have 1 to 6,000 characters`);
    } else if (name.startsWith('UPSTREAM_CLIENT_ISSUER_') && !isIssuerAddress(secret)) {
      problems.push(`${variable} must be the address of an authorization server, as in its metadata`);
    } else if (!value.test(secret)) problems.push(`${variable} must be one line of plain characters`);
    else secrets.set(name, secret);
  }
  return secrets;
}

/** RFC 8414, section 2. The sign-in later allows plain http only at addresses that the operator allows. */
function isIssuerAddress(text: string): boolean {
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === '' && url.password === '' && !/[?#]/.test(text);
  return isPlain && ['https:', 'http:'].includes(url.protocol);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
