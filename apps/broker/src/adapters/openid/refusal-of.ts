import * as oidc from 'openid-client';
import { parseObject } from '#platform/json.ts';

/** The form of error codes of OAuth and its extensions. Other texts of a provider may quote what was sent to it. */
const oauthError = /^[a-z_]{1,64}$/;

/** Returns the OAuth error, else the status, with which a provider refused our request; undefined if it did not. */
export async function refusalOf(thrown: unknown): Promise<string | undefined> {
  if (thrown instanceof oidc.ResponseBodyError) return named(thrown.error) ?? `HTTP ${thrown.status}`;
  if (!(thrown instanceof oidc.WWWAuthenticateChallengeError)) return undefined;
  // the library only reads the header
  const text = await thrown.response.text().catch(() => '');
  const challenged = thrown.cause.map(({ parameters }) => named(parameters.error)).find((name) => name !== undefined);
  return named(parseObject(text)?.['error']) ?? challenged ?? `HTTP ${thrown.status}`;
}

function named(error: unknown): string | undefined {
  return typeof error === 'string' && oauthError.test(error) ? error : undefined;
}
