import { cleanLabel } from '#platform/text/clean-label.ts';
import { withoutNullMembers } from '#platform/http/outgoing/without-null-members.ts';
import { isRecord } from '#platform/json.ts';
import { sha256 } from '../../hash.ts';
import { isLoopbackRedirect, redirectProblem, withoutPort } from '../redirect-uri.ts';

/** The stored fields of a client's registration or metadata document. */
export type ClientMetadata = {
  client_name: string | undefined;
  client_uri: string | undefined;
  redirect_uris: string[];
  application_type: 'web' | 'native';
  token_endpoint_auth_method: 'none' | 'client_secret_basic' | 'client_secret_post';
  grant_types: ['authorization_code', 'refresh_token'];
  response_types: ['code'];
};

/** A redirect address that is not stored, as it was sent, and why. */
export type RefusedRedirect = { redirect_uri: unknown; reason: string };

export type MetadataResult =
  | { metadata: ClientMetadata; refusedRedirects: readonly RefusedRedirect[] }
  | { error: 'invalid_redirect_uri' | 'invalid_client_metadata'; description: string };

const maxRedirectUris = 10;
const maxNameCharacters = 100;
const secretMethods = ['client_secret_basic', 'client_secret_post'] as const;

/**
 * Reads a client's metadata (RFC 7591, section 2). Fields without use here are dropped, not refused: real clients name
 * scopes, grant types and key types that we do not support, and most name no application_type. Valid redirect addresses
 * are kept even if others are not (section 3.2.1): editors name those of all their editions.
 */
export function readClientMetadata(given: unknown): MetadataResult {
  if (!isRecord(given)) return refuse('invalid_client_metadata', 'the metadata must be a JSON object');
  const input = withoutNullMembers(given);
  const uris = input['redirect_uris'];
  if (!Array.isArray(uris) || uris.length === 0)
    return refuse('invalid_redirect_uri', 'redirect_uris must name at least one address');
  if (uris.length > maxRedirectUris) return refuse('invalid_redirect_uri', `at most ${maxRedirectUris} redirect_uris`);
  const redirectUris: string[] = [];
  const refusedRedirects: RefusedRedirect[] = [];
  for (const uri of uris) {
    const problem = redirectProblem(uri);
    if (problem === undefined) redirectUris.push(String(uri));
    else refusedRedirects.push({ redirect_uri: uri, reason: problem });
  }
  const [refused] = refusedRedirects;
  if (redirectUris.length === 0 && refused) return refuse('invalid_redirect_uri', refused.reason);
  for (const field of ['client_name', 'client_uri']) {
    const value = input[field];
    if (value !== undefined && (typeof value !== 'string' || value.length > 2048)) {
      return refuse('invalid_client_metadata', `${field} must be text of at most 2048 characters`);
    }
  }
  const wantedMethod = input['token_endpoint_auth_method'];
  return {
    refusedRedirects,
    metadata: {
      client_name: readName(input['client_name']),
      client_uri: readWebAddress(input['client_uri']),
      redirect_uris: redirectUris,
      // native allows loopback addresses and custom schemes in addition to https, so it fits all but pure https
      application_type: redirectUris.every((uri) => uri.startsWith('https:')) ? 'web' : 'native',
      token_endpoint_auth_method: secretMethods.find((method) => method === wantedMethod) ?? 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  };
}

/**
 * Id of a public client: the hash of its metadata. A client that registers again at every start (some do so fifty times
 * an hour) gets the same id and makes no second row. Loopback ports do not count: they change at every start.
 */
export function publicClientId(metadata: ClientMetadata): string {
  const redirects = metadata.redirect_uris.map((uri) => (isLoopbackRedirect(uri) ? withoutPort(uri) : uri));
  const parts = [metadata.client_name ?? '', metadata.client_uri ?? '', [...new Set(redirects)].sort()];
  return `client_${sha256(JSON.stringify(parts))}`;
}

function refuse(error: 'invalid_redirect_uri' | 'invalid_client_metadata', description: string): MetadataResult {
  return { error, description };
}

/** Returns the name without invisible characters: it appears in a question to the user. */
function readName(value: unknown): string | undefined {
  return typeof value === 'string' ? cleanLabel(value, maxNameCharacters) || undefined : undefined;
}

function readWebAddress(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return URL.parse(text)?.protocol === 'https:' ? text : undefined;
}
