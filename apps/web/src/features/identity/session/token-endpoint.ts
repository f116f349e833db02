import { ApiError } from '@souk/contract/client.ts';
import { userProfileSchema, type UserProfile } from '@souk/contract/identity.ts';
import { statusText } from '@souk/contract/catalogue/status-text.ts';
import { z } from 'zod';
import { createRenewalName, type RenewalNameOptions } from './renewal-name.ts';

export const clientId = 'frontend';
const handOffGrant = 'urn:souk:grant:handoff';
/** A refresh without an answer would hold the lock in every tab. */
const timeoutMs = 15_000;

const tokenAnswerSchema = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** Seconds. */
  expiresIn: z.number(),
  /** Only for a hand-off ticket: whether this browser came back from the provider with it. */
  sameBrowser: z.boolean().optional(),
});

export type Tokens = { accessToken: string; refreshToken?: string; tokenExpiry: number };
type TicketTokens = { tokens: Tokens; isOfThisBrowser: boolean };

const deactivatedSchema = z.object({ reason: z.literal('account_deactivated') });

export type TokenEndpointOptions = RenewalNameOptions & {
  /** Origin of the broker, without a trailing slash. */
  origin: string;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  now: () => number;
};

/** `isTemporary`: the broker could not answer, and has not refused. */
export type ProfileAnswer = { profile: UserProfile } | { refused: string; isTemporary: boolean };

export type TokenEndpoint = ReturnType<typeof createTokenEndpoint>;

/** The calls that make, renew and end a session. They are not in the contract, since their form is OAuth's. */
export function createTokenEndpoint(options: TokenEndpointOptions) {
  const { origin, fetch, now } = options;
  const renewalName = createRenewalName(options);
  const request = (path: string, init: RequestInit) => send(fetch, origin + path, init);
  /** keepalive: an answer that rotates the cookie must arrive even if the page is left meanwhile. */
  const post = (path: string, form: Record<string, string>) =>
    request(path, { method: 'POST', body: new URLSearchParams(form), keepalive: true });
  const getProfile = (accessToken: string) =>
    request('/v2/user/profile', { headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` } });

  return {
    /**
     * Exchanges the callback's code for tokens (RFC 6749, section 4.1.3).
     * @throws ApiError 'Token exchange failed: {body}'
     */
    async exchangeCode(code: string, verifier: string): Promise<Tokens> {
      const response = await post('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        redirect_uri: `${origin}/auth/callback`,
        code_verifier: verifier,
      });
      if (!response.ok) throw await exchangeFailure(response);
      return (await readTokens(response, now)).tokens;
    },

    /**
     * Exchanges a hand-off ticket for tokens (clarifications, Sign-in).
     * @param keepsSignIn whether a ticket of another browser leaves this browser's cookie unchanged. Its tokens then
     *   expire after ten minutes
     * @returns the tokens, and whether this browser came back from the provider with the ticket
     * @throws ApiError 'Token exchange failed: {body}'
     */
    async exchangeTicket(ticket: string, keepsSignIn: boolean): Promise<TicketTokens> {
      const response = await post('/oauth/token', {
        grant_type: handOffGrant,
        client_id: clientId,
        token: ticket,
        ...(keepsSignIn && { keep_sign_in: '1' }),
      });
      if (!response.ok) throw await exchangeFailure(response);
      return readTokens(response, now);
    },

    /**
     * Returns new tokens for the sign-in of the HttpOnly cookie. The renewal keeps its name until the broker has
     * answered: after a lost answer, the next attempt gets the same tokens and does not look like a stolen cookie.
     * @param handle only the cookie of this sign-in is accepted; without it, any is
     * @returns undefined if the sign-in has ended
     * @throws ApiError if the broker could not answer: the sign-in may still be good
     */
    async refresh(handle?: string): Promise<Tokens | undefined> {
      const response = await post('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: clientId,
        renewal: renewalName.current(),
        ...(handle !== undefined && { refresh_token: handle }),
      });
      if (isTemporary(response)) throw failureOf(response);
      renewalName.end();
      return response.ok ? (await readTokens(response, now)).tokens : undefined;
    },

    /** Returns whether the broker refuses the token because the account is deactivated. false if it does not answer. */
    async isDeactivated(accessToken: string): Promise<boolean> {
      const response = await getProfile(accessToken).catch(() => undefined);
      const body: unknown = response?.status === 401 ? await response.json().catch(() => undefined) : undefined;
      return deactivatedSchema.safeParse(body).success;
    },

    /** Ends the sign-in of this browser: the cookie's tokens, and the broker's own session. */
    async signOut(): Promise<void> {
      const response = await post('/oauth/logout', {});
      if (!response.ok) throw failureOf(response);
    },

    /**
     * Fetches the profile of the token's owner.
     * @returns the status text if the broker refuses; each caller has its own message for that
     */
    async fetchProfile(accessToken: string): Promise<ProfileAnswer> {
      const response = await getProfile(accessToken);
      if (!response.ok) return { refused: statusText(response), isTemporary: isTemporary(response) };
      const profile = userProfileSchema.safeParse(await response.json().catch(() => undefined));
      if (profile.success) return { profile: profile.data };
      throw unexpectedAnswer(profile.error);
    },
  };
}

async function send(fetch: TokenEndpointOptions['fetch'], address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { credentials: 'include', signal: AbortSignal.timeout(timeoutMs), ...init });
  } catch (cause) {
    throw new ApiError({ message: 'Network error occurred', code: 'network', cause });
  }
}

async function readTokens(response: Response, now: () => number): Promise<TicketTokens> {
  const answer = tokenAnswerSchema.safeParse(await response.json().catch(() => undefined));
  if (!answer.success) throw unexpectedAnswer(answer.error);
  const { accessToken, refreshToken, expiresIn, sameBrowser } = answer.data;
  const tokenExpiry = now() + expiresIn * 1000;
  return {
    tokens: { accessToken, tokenExpiry, ...(refreshToken !== undefined && { refreshToken }) },
    isOfThisBrowser: sameBrowser === true,
  };
}

function unexpectedAnswer(cause: Error): ApiError {
  return new ApiError({ message: 'An unexpected error occurred', code: 'unexpected_answer', cause });
}

function isTemporary({ ok, status }: Response): boolean {
  return !ok && ![400, 401, 403].includes(status);
}

async function exchangeFailure(response: Response): Promise<ApiError> {
  const message = `Token exchange failed: ${await response.text()}`;
  return new ApiError({ message, code: 'token_exchange_failed', status: response.status });
}

function failureOf(response: Response): ApiError {
  const message = `HTTP ${response.status}: ${statusText(response)}`;
  return new ApiError({ message, code: 'unexpected_answer', status: response.status });
}
