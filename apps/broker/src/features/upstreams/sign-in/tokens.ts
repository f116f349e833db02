import type * as oidc from 'openid-client';
import { z } from 'zod';
import { cleanLabel } from '#platform/clean-label.ts';
import { bindingSchema } from './oauth-client.ts';

const longestAccountName = 200;

/** The sealed part of an OAuth account. */
export const sealedTokensSchema = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  binding: bindingSchema,
});
export type SealedTokens = z.output<typeof sealedTokensSchema>;

export const sealedHeadersSchema = z.record(z.string(), z.string());

type TokenAnswer = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

/** When the access token expires; undefined where the answer does not say. */
export function expiryOf(answer: TokenAnswer, nowMs: number): Date | undefined {
  const seconds = answer.expires_in;
  return seconds === undefined ? undefined : new Date(nowMs + seconds * 1000);
}

/** Who the person is there, where the answer includes an identity token. Only to be shown, never to decide. */
export function accountNameOf(answer: TokenAnswer): string | undefined {
  const claims = answer.claims();
  const hints = [claims?.['email'], claims?.['preferred_username'], claims?.['name']];
  const shown = hints.map((hint) => (typeof hint === 'string' ? cleanLabel(hint, longestAccountName) : ''));
  return shown.find((text) => text !== '');
}
