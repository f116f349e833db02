import type { ServerSignIn } from '@souk/contract/admin-servers.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { discoverSignIn } from './discover-sign-in.ts';
import type { IssuerPlace } from './issuer-store.ts';
import { isKnown, knownIssuer, type KnownIssuer } from './known-issuer.ts';
import { clientIssuerVariable, configuredClient } from './operator-secrets.ts';
import { withSignInFetch } from './sign-in-fetch.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { SignInProblem } from './sign-in-problem.ts';

type Named = { named: IssuerPlace; problem: null } | { named: null; problem: string };

/** Where people sign in at a server, as it says now, and what was decided about that. */
export async function describeIssuer(server: CatalogueServer, parts: SignInParts): Promise<ServerSignIn> {
  const configured = configuredClient(server, parts);
  const known = await knownIssuer(server.id, parts);
  const found = await askServer(server, parts);
  return {
    state: stateOf(known, found, configured !== undefined),
    clientId: configured?.clientId ?? null,
    variable: clientIssuerVariable(server.id),
    known: known
      ? {
          by: known.by,
          issuer: known.issuer,
          tokenEndpoint: known.tokenEndpoint ?? null,
          confirmedAt: known.at?.toISOString() ?? null,
        }
      : null,
    ...found,
  };
}

/**
 * Lets the operator's client be shown at what an administrator saw.
 * @throws SoukError invalid_request where nothing is to be confirmed; changed_since_shown
 */
export async function confirmIssuer(
  server: CatalogueServer,
  shown: IssuerPlace,
  by: { actorId: string },
  parts: SignInParts,
): Promise<void> {
  const { name } = server.manifest;
  if (!configuredClient(server, parts)) {
    throw new SoukError('invalid_request', {
      message: `${name} has no client of the operator: nothing is to be confirmed.`,
    });
  }
  const { clientIssuer } = parts.secrets;
  if (clientIssuer(server.id) !== undefined) {
    throw new SoukError('invalid_request', {
      message: `The operator has decided that with ${clientIssuerVariable(server.id)}.`,
    });
  }
  const { named, problem } = await askServer(server, parts);
  if (!named || named.issuer !== shown.issuer || named.tokenEndpoint !== shown.tokenEndpoint) {
    const now = named ? `names ${named.issuer} now` : `does not say now where its people sign in: ${problem}`;
    throw new SoukError('changed_since_shown', {
      message: `${name} ${now}. Nothing was confirmed. Please look again.`,
    });
  }
  await parts.issuers.confirm(server.id, named, by);
}

function stateOf(known: KnownIssuer | undefined, { named }: Named, isOperators: boolean): ServerSignIn['state'] {
  if (!known) return isOperators ? 'waiting' : 'open';
  if (known.by === 'administrator' && !isOperators) return 'open';
  return named && !isKnown(known, named) ? 'refused' : 'confirmed';
}

async function askServer(server: CatalogueServer, parts: SignInParts): Promise<Named> {
  try {
    const { authorizationServer } = await withSignInFetch(parts.addressOf(server), (fetch, address) =>
      discoverSignIn(address, fetch),
    );
    const named = { issuer: authorizationServer.issuer, tokenEndpoint: authorizationServer.token_endpoint };
    return { named, problem: null };
  } catch (error) {
    if (error instanceof SignInProblem) return { named: null, problem: error.message };
    if (error instanceof UpstreamError) return { named: null, problem: 'it is not running' };
    parts.log.warn({ err: error, server: server.id }, 'a server does not say where its people sign in');
    return { named: null, problem: 'it cannot be reached' };
  }
}
