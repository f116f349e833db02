import * as oidc from 'openid-client';
import { parseObject } from '#platform/json.ts';

/** The words that OAuth and its extensions define; what else a provider says may quote what was sent to it. */
const oauthError = /^[a-z_]{1,64}$/;

/**
 * The OAuth error with which a provider refused a request of ours, such as invalid_client, or the status where it names none.
 * @returns undefined where it did not refuse
 */
export async function refusalOf(thrown: unknown): Promise<string | undefined> {
  if (thrown instanceof oidc.ResponseBodyError) return named(thrown.error) ?? `HTTP ${thrown.status}`;
  if (!(thrown instanceof oidc.WWWAuthenticateChallengeError)) return undefined;
  // the library reads no further than the header
  const text = await thrown.response.text().catch(() => '');
  const challenged = thrown.cause.map(({ parameters }) => named(parameters.error)).find((name) => name !== undefined);
  return named(parseObject(text)?.['error']) ?? challenged ?? `HTTP ${thrown.status}`;
}

function named(error: unknown): string | undefined {
  return typeof error === 'string' && oauthError.test(error) ? error : undefined;
}
