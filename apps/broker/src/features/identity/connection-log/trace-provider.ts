import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { frontendClientId, type Resources } from '../oauth/resources.ts';
import { redirectHost } from '../oauth/redirect-uri.ts';
import { attemptKey, cleanLabel, type ConnectionEvent, type Failure } from './connection-event.ts';
import type { GrantSource, GrantSources } from './grant-sources.ts';

/** Fields of oidc-provider's errors (its helpers/errors.js); the detail is for logs, never for the client. */
type ProviderError = Error & { error?: unknown; error_description?: unknown; error_detail?: unknown };

/**
 * Follows sign-ins by what oidc-provider tells of them: authorize, consent, token, and why one of them failed.
 * The web app's own sign-ins are no connections.
 */
export function traceProvider(
  provider: Provider,
  options: {
    resources: Resources;
    grantSources: GrantSources;
    now(): number;
    record(event: ConnectionEvent): void;
    /** Work that the answer does not wait for. */
    inBackground(work: Promise<void>): void;
    /** Counts a sign-in that begins; false when this person, or this stranger's address, begins too many. */
    mayBegin(ctx: KoaContextWithOIDC, userId: string | undefined): boolean;
    /** The source (sightings.ts) of a request that is being answered. */
    sourceOf(ctx: KoaContextWithOIDC): { source: string; userAgent: string } | undefined;
  },
): void {
  const { record, now } = options;

  provider.on('interaction.started', (ctx) => {
    const { Client: client, Interaction: interaction } = ctx.oidc.entities;
    if (!client || !interaction || client.clientId === frontendClientId) return;
    const userId = ctx.oidc.session?.accountId;
    if (!options.mayBegin(ctx, userId)) return;
    record({
      key: attemptKey.signIn(interaction.cid),
      atMs: now(),
      ...named(client),
      ...(userId !== undefined && { userId }),
      passed: [cameBy(client.clientId), 'authorize'],
    });
  });

  provider.on('authorization.success', (ctx) => {
    const { Client: client, Interaction: interaction, Grant: grant } = ctx.oidc.entities;
    const userId = ctx.oidc.session?.accountId;
    if (!client || !grant || userId === undefined || client.clientId === frontendClientId) return;
    record({
      key: attemptKey.grant(grant.jti),
      ...(interaction && { formerKey: attemptKey.signIn(interaction.cid) }),
      atMs: now(),
      userId,
      ...named(client),
      passed: ['consent'],
    });
  });

  provider.on('authorization.error', (ctx, error) => {
    const { Client: client, Interaction: interaction } = ctx.oidc.entities;
    const clientId = client?.clientId ?? text(ctx.oidc.params?.['client_id']) ?? text(ctx.query['client_id']);
    const userId = ctx.oidc.session?.accountId;
    if (clientId === undefined || clientId === frontendClientId) return;
    const failure = authorizeFailure(ctx, clientId, error, options.resources);
    const base = { atMs: now(), clientId, ...(client && named(client)), failure };
    const mine = userId === undefined ? {} : { userId };
    if (interaction) record({ key: attemptKey.signIn(interaction.cid), ...mine, ...base });
    // Nobody knows whose it is, or ever will: the error page says what is wrong.
    else if (userId !== undefined) {
      const key = attemptKey.refused(userId, clientId, failure.reason);
      record({ key, ...mine, ...base, passed: failure.step === 'authorize' ? [cameBy(clientId)] : [] });
    }
  });

  provider.on('grant.success', (ctx) => {
    const { Client: client, Grant: grant } = ctx.oidc.entities;
    if (!client || !grant?.accountId || client.clientId === frontendClientId) return;
    // The source tells who looked around before; a renewal has nothing to join.
    const from = ctx.oidc.params?.['grant_type'] === 'authorization_code' ? options.sourceOf(ctx) : undefined;
    record({
      key: attemptKey.grant(grant.jti),
      atMs: now(),
      userId: grant.accountId,
      ...named(client),
      ...from,
      passed: ['token'],
    });
  });

  provider.on('grant.error', (ctx, error) => {
    const code = text(ctx.oidc.params?.['code']) ?? text(ctx.oidc.params?.['refresh_token']);
    const requestedAtMs = now();
    options.inBackground(
      options.grantSources.find(code).then((source) => {
        if (source) recordTokenFailure(source, tokenFailure(error, source), requestedAtMs, record);
      }),
    );
  });

  provider.on('grant.revoked', (ctx, grantId) => {
    // Only a second use of a code or refresh token ends a grant at the token endpoint. Whose it is, its attempt says.
    if (ctx.oidc.route !== 'token' || ctx.oidc.client?.clientId === frontendClientId) return;
    record({ key: attemptKey.grant(grantId), atMs: now(), failure: { step: 'token', reason: 'reused' } });
  });
}

export function recordTokenFailure(
  source: GrantSource,
  failure: Failure,
  atMs: number,
  record: (event: ConnectionEvent) => void,
): void {
  const { grantId, userId, clientId } = source;
  if (clientId !== frontendClientId) record({ key: attemptKey.grant(grantId), atMs, userId, clientId, failure });
}

/** How the client made itself known: clients with a metadata document are named by its address. */
function cameBy(clientId: string): 'registration' | 'metadata-document' {
  return clientId.startsWith('https://') ? 'metadata-document' : 'registration';
}

function named(client: { clientId: string; clientName?: string | undefined }) {
  const clientName = cleanLabel(client.clientName);
  return { clientId: client.clientId, ...(clientName !== '' && { clientName }) };
}

function authorizeFailure(
  ctx: KoaContextWithOIDC,
  clientId: string,
  error: ProviderError,
  resources: Resources,
): Failure {
  const { Client: client } = ctx.oidc.entities;
  const param = (name: string) => text(ctx.oidc.params?.[name]) ?? text(ctx.query[name]);
  switch (error.error) {
    case 'access_denied':
      return { step: 'consent', reason: 'consent-denied' };
    case 'invalid_redirect_uri': {
      const registered = [...new Set((client?.redirectUris ?? []).map(hostOf))].join(', ');
      return {
        step: 'authorize',
        reason: 'redirect-mismatch',
        facts: { asked: hostOf(param('redirect_uri')), registered },
      };
    }
    case 'invalid_target':
      return {
        step: 'authorize',
        reason: 'wrong-resource',
        facts: { asked: cleanLabel(param('resource'), 200), right: resources.mcp },
      };
    case 'invalid_client':
    case 'invalid_client_metadata':
      return clientId.startsWith('https://')
        ? { step: 'metadata-document', reason: 'document-unusable', facts: { host: hostOf(clientId) } }
        : { step: 'registration', reason: 'client-unknown' };
    default:
      return { step: 'authorize', reason: 'authorize-refused', facts: { error: describeError(error) } };
  }
}

function tokenFailure(error: ProviderError, source: GrantSource): Failure {
  const detail = `${text(error.error_detail) ?? ''} ${error.message}`;
  const refused = (reason: Failure['reason'], facts?: Failure['facts']): Failure => ({
    step: 'token',
    reason,
    ...(facts && { facts }),
  });
  if (detail.includes('code_verifier') || text(error.error_description)?.includes('code_verifier')) {
    return refused('wrong-verifier');
  }
  if (source.isUsed) return refused('reused');
  if (source.isExpired) return refused(source.kind === 'code' ? 'code-expired' : 'sign-in-ended');
  return refused('token-refused', { error: describeError(error) });
}

/** Code and description, which are oidc-provider's own words: nothing of the request that could be a secret. */
function describeError({ error, error_description: description }: ProviderError): string {
  return cleanLabel([text(error), text(description)].filter((part) => part !== undefined).join(', '), 200);
}

function hostOf(address: string | undefined): string {
  const url = address === undefined ? undefined : URL.parse(address);
  return url ? cleanLabel(redirectHost(url.href)) : 'an invalid address';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
