import { OAuthError, OAuthErrorCode, type OAuthTokenVerifier } from '@modelcontextprotocol/server';
import type { Clock } from '@souk/service-kit/clock.ts';
import * as z from 'zod';
import type { OauthRecords } from './records.ts';

/** Stored fields of an access token, from oidc-provider's model of that name. */
const accessTokenSchema = z.object({
  accountId: z.string(),
  clientId: z.string(),
  grantId: z.string(),
  aud: z.string(),
  exp: z.number().describe('Epoch seconds'),
  scope: z.string().default(''),
});

/**
 * Checks bearer tokens of /mcp against the records, without loading the OAuth server: a token is valid until it expires or
 * its grant is revoked. The account is in `extra.accountId`.
 * @throws OAuthError invalid_token
 */
export function createTokenVerifier(records: OauthRecords, clock: Clock): OAuthTokenVerifier {
  return {
    async verifyAccessToken(token) {
      const found = accessTokenSchema.safeParse(records.find('AccessToken', token, clock.now()));
      if (!found.success || !records.find('Grant', found.data.grantId, clock.now())) {
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'The access token is unknown, expired or revoked.');
      }
      const { accountId, clientId, aud, exp, scope } = found.data;
      return {
        token,
        clientId,
        scopes: scope.split(' ').filter(Boolean),
        expiresAt: exp,
        resource: new URL(aud),
        extra: { accountId },
      };
    },
  };
}
