import type * as oidc from 'openid-client';
import { oidcConfiguration, type Binding } from './oauth-client.ts';
import { isHeaderToken } from './plain-values.ts';
import type { SignInFetch } from '../sign-in-fetch.ts';
import { SignInProblem, UnusableTokens } from '../sign-in-problem.ts';
import type { Issued } from './token-answer.ts';

/** What Node takes of all headers together. */
const longestToken = 16_000;
/** A refresh token goes into a form: it is bounded by what an answer may have. */
const longestRefreshToken = 64_000;

export type TokenRequest = {
  binding: Binding;
  fetch: SignInFetch;
  redirectUri?: string;
  /** Sends the grant, by openid-client. */
  grant: (configuration: oidc.Configuration) => Promise<unknown>;
  /** Gives back what was issued and cannot be kept. */
  giveBack: (issued: Issued) => void;
};

/**
 * Asks for tokens and keeps them: both or neither. A code is spent and a refresh token replaced once the server has answered,
 * so that whatever it issued and we cannot keep is given back.
 */
export async function obtainTokens<T>(request: TokenRequest, keep: (issued: Issued) => Promise<T>): Promise<T> {
  const { binding, fetch, redirectUri, grant, giveBack } = request;
  const answers: Issued[] = [];
  const configuration = oidcConfiguration(binding, fetch, {
    ...(redirectUri !== undefined && { redirectUri }),
    onIssued: (issued) => answers.push(issued),
  });
  try {
    // openid-client's checks; what fails them although there is a token would fail them again
    await grant(configuration).catch((error: unknown) => {
      throw answers[0] ? (problemOf(answers[0]) ?? new UnusableTokens('it issued tokens of no use', error)) : error;
    });
    const [issued] = answers;
    if (!issued) throw new SignInProblem('it issued no token');
    const problem = problemOf(issued);
    if (problem) throw problem;
    return await keep(issued);
  } catch (error) {
    for (const issued of answers) giveBack(issued);
    throw error;
  }
}

function problemOf({ accessToken, refreshToken }: Issued): UnusableTokens | undefined {
  if (!isHeaderToken(accessToken, longestToken)) {
    return new UnusableTokens('it issued a token that no request can carry');
  }
  const isTooLong = refreshToken !== undefined && refreshToken.length > longestRefreshToken;
  return isTooLong ? new UnusableTokens('it issued a token that is too long') : undefined;
}
