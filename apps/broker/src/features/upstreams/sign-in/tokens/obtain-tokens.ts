import type * as oidc from 'openid-client';
import { oidcConfiguration, type Binding } from './oauth-client.ts';
import { isHeaderToken } from './plain-values.ts';
import type { SignInFetch } from '../sign-in-fetch.ts';
import { SignInProblem, UnusableTokens } from '../sign-in-problem.ts';
import type { Issued } from './token-answer.ts';

/** Longest access token: Node accepts 16 KiB for all headers together. */
const maxTokenCharacters = 16_000;
/** Longest refresh token, which is sent in a form. */
const maxRefreshTokenCharacters = 64_000;

export type TokenRequest = {
  binding: Binding;
  fetch: SignInFetch;
  redirectUri?: string;
  /** Sends the grant with openid-client. */
  grant: (configuration: oidc.Configuration) => Promise<unknown>;
  /** Revokes tokens that were issued and cannot be stored. */
  revoke: (issued: Issued) => void;
};

/**
 * Obtains tokens and stores them with `keep`. If that fails, revokes them, because the code is spent or the old refresh
 * token replaced.
 */
export async function obtainTokens<T>(request: TokenRequest, keep: (issued: Issued) => Promise<T>): Promise<T> {
  const { binding, fetch, redirectUri, grant, revoke } = request;
  const answers: Issued[] = [];
  const configuration = oidcConfiguration(binding, fetch, {
    ...(redirectUri !== undefined && { redirectUri }),
    onIssued: (issued) => answers.push(issued),
  });
  try {
    // an answer with a token that fails openid-client's checks would fail them again
    await grant(configuration).catch((error: unknown) => {
      throw answers[0] ? (problemOf(answers[0]) ?? new UnusableTokens('it issued unusable tokens', error)) : error;
    });
    const [issued] = answers;
    if (!issued) throw new SignInProblem('it issued no token');
    const problem = problemOf(issued);
    if (problem) throw problem;
    return await keep(issued);
  } catch (error) {
    for (const issued of answers) revoke(issued);
    throw error;
  }
}

function problemOf({ accessToken, refreshToken }: Issued): UnusableTokens | undefined {
  if (!isHeaderToken(accessToken, maxTokenCharacters)) {
    return new UnusableTokens('it issued a token that no request can carry');
  }
  const isTooLong = refreshToken !== undefined && refreshToken.length > maxRefreshTokenCharacters;
  return isTooLong ? new UnusableTokens('it issued a token that is too long') : undefined;
}
