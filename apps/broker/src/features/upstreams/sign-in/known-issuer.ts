import type { AuthorizationServer } from './discover-sign-in.ts';
import type { IssuerPlace } from './issuer-store.ts';
import { isSameIssuer } from './known-providers.ts';
import type { Binding } from './oauth-client.ts';
import { clientIssuerVariable } from './operator-secrets.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { SignInProblem } from './sign-in-problem.ts';

type Parts = Pick<SignInParts, 'issuers' | 'secrets' | 'log'>;

/**
 * The issuer to which the operator's client at a server is pinned. A server chooses its authorization server freely, at any
 * time: without the pin it would choose who is shown the operator's secret.
 */
export type KnownIssuer = {
  by: 'environment' | 'administrator';
  issuer: string;
  /** An issuer that the operator names vouches for its own endpoints. */
  tokenEndpoint: string | undefined;
  /** When it was confirmed. */
  at?: Date;
};

/** What the operator has set, else what an administrator has confirmed. */
export async function knownIssuer(
  serverId: string,
  { secrets, issuers }: Pick<Parts, 'issuers' | 'secrets'>,
): Promise<KnownIssuer | undefined> {
  const issuer = secrets.clientIssuer(serverId);
  if (issuer !== undefined) return { by: 'environment', issuer, tokenEndpoint: undefined };
  const { confirmed } = await issuers.find(serverId);
  return confirmed && { by: 'administrator', ...confirmed };
}

export function isKnown({ issuer, tokenEndpoint }: KnownIssuer, found: IssuerPlace): boolean {
  if (!isSameIssuer(found.issuer, issuer)) return false;
  return tokenEndpoint === undefined || tokenEndpoint === found.tokenEndpoint;
}

/**
 * Lets a sign-in go on to the pinned issuer only. The operator reads of another one in the log, in the audit log and on the
 * server's page in the administration.
 * @param isOperators whether the operator's client is what the sign-in would show
 * @throws SignInProblem
 */
export async function requireKnownIssuer(
  serverId: string,
  found: AuthorizationServer,
  isOperators: boolean,
  parts: Parts,
): Promise<void> {
  const known = await knownIssuer(serverId, parts);
  const place = placeOf(found);
  if (known === undefined ? !isOperators : isKnown(known, place) || !concerns(known, isOperators)) return;
  const isNews = await parts.issuers.noteRefused(serverId, place);
  const remedy = `confirm it on the server's page in the administration, or set ${clientIssuerVariable(serverId)}`;
  const facts = { server: serverId, named: place, known: known?.issuer, isNews, remedy };
  parts.log.warn(facts, 'a server names an authorization server that nobody has confirmed: nothing was sent there');
  throw new SignInProblem(
    known
      ? `it now sends people to ${new URL(found.issuer).host}, which an administrator has not confirmed`
      : 'an administrator has to confirm first where its people sign in',
  );
}

/** Whether a stored credential may go where it was obtained. Nobody has confirmed what an older version stored: it may. */
export async function mayUse(serverId: string, { server, client }: Binding, parts: Parts): Promise<boolean> {
  const known = await knownIssuer(serverId, parts);
  const isOperators =
    client.isOperators === true ||
    client.clientId === parts.secrets.clientId(serverId) ||
    (client.clientSecret !== undefined && client.clientSecret === parts.secrets.clientSecret(serverId));
  return known === undefined || isKnown(known, placeOf(server)) || !concerns(known, isOperators);
}

function placeOf({ issuer, token_endpoint: tokenEndpoint }: AuthorizationServer): IssuerPlace {
  return { issuer, tokenEndpoint };
}

/** A confirmation is about the operator's client; what the operator sets is about every client at this server. */
function concerns({ by }: KnownIssuer, isOperators: boolean): boolean {
  return by === 'environment' || isOperators;
}
