import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { Query } from '#platform/db/database.ts';
import type { IdentityEvents, NamedClient } from '../identity-events.ts';
import { findRefusedGrant } from './tokens/find-refused-grant.ts';
import { clientAddress } from './hand-over.ts';
import { redirectHost } from './redirect-uri.ts';
import { frontendClientId } from './resources.ts';

/** Fields of oidc-provider's errors (its helpers/errors.js); the detail is for logs, never for the client. */
type ProviderError = Error & { error?: unknown; error_description?: unknown; error_detail?: unknown };

/** Turns oidc-provider's events into those of identity. */
export function emitSignIns(provider: Provider, events: IdentityEvents, query: Query): void {
  provider.on('interaction.started', (ctx) => {
    const { Client: client, Interaction: interaction } = ctx.oidc.entities;
    if (!client || !interaction || client.clientId === frontendClientId) return;
    const userId = ctx.oidc.session?.accountId;
    events.signInBegan({ ...named(client), signInId: interaction.cid, userId, address: clientAddress(ctx.req) });
  });

  provider.on('authorization.success', (ctx) => {
    const { Client: client, Interaction: interaction, Grant: grant } = ctx.oidc.entities;
    const userId = ctx.oidc.session?.accountId;
    if (!client || !grant || userId === undefined || client.clientId === frontendClientId) return;
    events.consentGiven({ ...named(client), signInId: interaction?.cid, grantId: grant.jti, userId });
  });

  provider.on('authorization.error', (ctx, error) => {
    const { Client: client, Interaction: interaction } = ctx.oidc.entities;
    const clientId = client?.clientId ?? param(ctx, 'client_id');
    if (clientId === undefined || clientId === frontendClientId) return;
    events.authorizationRefused({
      client: client ? named(client) : { clientId },
      signInId: interaction?.cid,
      userId: ctx.oidc.session?.accountId,
      ...wordsOf(error),
      askedHost: hostOf(param(ctx, 'redirect_uri')),
      registeredHosts: [...new Set((client?.redirectUris ?? []).map(hostOf))],
      askedResource: param(ctx, 'resource'),
    });
  });

  provider.on('grant.success', (ctx) => {
    const { Client: client, Grant: grant } = ctx.oidc.entities;
    if (!client || !grant?.accountId || client.clientId === frontendClientId) return;
    const isCode = ctx.oidc.params?.['grant_type'] === 'authorization_code';
    const userAgent = isCode ? ctx.req.headers['user-agent'] : undefined;
    events.tokenIssued({ ...named(client), grantId: grant.jti, userId: grant.accountId, userAgent });
  });

  provider.on('grant.error', (ctx, error: ProviderError) => {
    const value = text(ctx.oidc.params?.['code']) ?? text(ctx.oidc.params?.['refresh_token']);
    const told = [text(error.error_detail), error.message, text(error.error_description)];
    events.tokenRefused({
      ...wordsOf(error),
      isVerifierWrong: told.some((one) => one?.includes('code_verifier')),
      askedResource: text(ctx.oidc.params?.['resource']),
      findGrant: () => findRefusedGrant(query, value),
    });
  });

  provider.on('grant.revoked', (ctx, grantId) => {
    // at the token endpoint, only a second use of a code or refresh token ends a grant
    if (ctx.oidc.route !== 'token' || ctx.oidc.client?.clientId === frontendClientId) return;
    events.reuseDetected({ grantId });
  });
}

function named(client: { clientId: string; clientName?: string | undefined }): NamedClient {
  const clientName = cleanLabel(client.clientName);
  return { clientId: client.clientId, ...(clientName !== '' && { clientName }) };
}

/** Returns the code and description, which are oidc-provider's own words and contain no secret of the request. */
function wordsOf({ error, error_description: description }: ProviderError) {
  return { error: text(error) ?? '', description: text(description) };
}

function hostOf(address: string | undefined): string {
  const url = address === undefined ? undefined : URL.parse(address);
  return url ? cleanLabel(redirectHost(url.href)) : 'an invalid address';
}

/** Returns a parameter of an authorization request that oidc-provider may not have read yet. */
function param(ctx: KoaContextWithOIDC, name: string): string | undefined {
  return text(ctx.oidc.params?.[name]) ?? text(ctx.query[name]);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
