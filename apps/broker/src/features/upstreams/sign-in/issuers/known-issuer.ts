import type { ServerManifest } from '#features/catalogue/index.ts';
import { doubtsOf, type Doubt } from './doubts-of.ts';
import { isWithin, placeOf, type IssuerPlace, type Pair } from './issuer-place.ts';
import { isSameIssuer } from './known-providers.ts';
import type { Binding } from '../tokens/oauth-client.ts';
import { clientIssuerVariable } from '../client/operator-secrets.ts';
import type { SignInParts } from '../sign-in-parts.ts';
import { SignInProblem } from '../sign-in-problem.ts';

type Parts = Pick<SignInParts, 'catalogue' | 'issuers' | 'log' | 'secrets'>;

/**
 * The issuer at which a server's users sign in, and who named it. A server can name another authorization server at any
 * time. Without a known issuer, it would choose who gets the operator's secret, and whose tokens it gets itself.
 */
export type KnownIssuer =
  | { by: 'environment' | 'manifest'; issuer: string }
  | { by: 'administrator'; issuer: string; place: IssuerPlace; at: Date };

export type Judgement = {
  /** open: nothing has to be decided. waiting, refused: users are not sent there. */
  state: 'open' | 'waiting' | 'confirmed' | 'refused';
  known: KnownIssuer | undefined;
  /** Doubts that are undecided, or that a confirmation has resolved. */
  doubts: readonly Doubt[];
};

/** Returns the issuer that the operator has set, else the manifest's. A confirmation cannot override it. */
export function pinOf(
  { id, manifest: { auth } }: ServerManifest,
  { secrets }: Pick<Parts, 'secrets'>,
): KnownIssuer | undefined {
  const ofOperator = secrets.clientIssuer(id);
  if (ofOperator !== undefined) return { by: 'environment', issuer: ofOperator };
  const issuer = auth.type === 'oauth' ? auth.issuer : undefined;
  return issuer === undefined ? undefined : { by: 'manifest', issuer };
}

/**
 * Judges whether a server's users, and our client, may be sent to this authorization server.
 * @param isOperators whether that client is the operator's
 */
export async function judgePair(
  server: ServerManifest,
  pair: Pair,
  isOperators: boolean,
  parts: Pick<Parts, 'issuers' | 'secrets'>,
): Promise<Judgement> {
  const { auth } = server.manifest;
  const doubts = doubtsOf(pair, auth.type === 'oauth' ? auth.endpointOrigins : undefined);
  const pin = pinOf(server, parts);
  if (pin && !isSameIssuer(pair.server.issuer, pin.issuer)) return { state: 'refused', known: pin, doubts };
  const left = pin ? doubts.filter((doubt) => !isResolvedBy(doubt, pin)) : doubts;
  if (pin && left.length === 0) return { state: 'confirmed', known: pin, doubts: left };

  const confirmed = await confirmedIssuer(server.id, parts);
  if (confirmed && isWithin(placeOf(pair), confirmed.place))
    return { state: 'confirmed', known: confirmed, doubts: left };
  if (pin) return { state: 'waiting', known: pin, doubts: left };
  if (!isOperators && left.length === 0) return { state: 'open', known: confirmed, doubts: left };
  return { state: confirmed ? 'refused' : 'waiting', known: confirmed, doubts: left };
}

/**
 * Returns whether a pin resolves a doubt. A pinned issuer may be on any site. The manifest's pin also covers a missing
 * mention of PKCE; the operator's variable does not.
 */
function isResolvedBy(doubt: Doubt, { by }: KnownIssuer): boolean {
  return doubt === 'other-site' || (doubt === 'no-pkce' && by === 'manifest');
}

export async function confirmedIssuer(
  serverId: string,
  { issuers }: Pick<Parts, 'issuers'>,
): Promise<Extract<KnownIssuer, { by: 'administrator' }> | undefined> {
  const confirmed = await issuers.findConfirmed(serverId);
  return confirmed && { by: 'administrator', issuer: confirmed.place.issuer, ...confirmed };
}

export const isAllowed = ({ state }: Pick<Judgement, 'state'>) => state === 'open' || state === 'confirmed';

/**
 * Refuses a sign-in at an authorization server that is not allowed. The refusal appears in the log, in the audit log,
 * in the overview of administrators and on the server's page.
 * @param isOperators whether the sign-in would use the operator's client
 * @throws SignInProblem
 */
export async function requireKnownIssuer(
  server: ServerManifest,
  pair: Pair,
  isOperators: boolean,
  parts: Parts,
): Promise<void> {
  const judgement = await judgePair(server, pair, isOperators, parts);
  const place = placeOf(pair);
  if (isAllowed(judgement)) return parts.issuers.recordAllowed(server.id, place);
  const { known, doubts } = judgement;
  const isNews = await parts.issuers.recordRefused(server.id, place);
  const remedy = `confirm it on the server's page in the administration, or set ${clientIssuerVariable(server.id)}`;
  const facts = { server: server.id, named: place, known: known?.issuer, doubts, isNews, remedy };
  parts.log.warn(facts, 'a server names an authorization server that is not confirmed: nothing was sent there');
  throw new SignInProblem(whyNot(place, judgement));
}

const whoSays = {
  environment: 'the operator has set',
  manifest: 'its manifest names',
  administrator: 'an administrator has confirmed',
} as const;

/** Names both issuers in full, so that the user can tell an administrator what to compare. */
function whyNot(found: IssuerPlace, { state, known }: Judgement): string {
  if (state === 'waiting' || !known) {
    return `it sends people to ${found.issuer}, and an administrator has to confirm that first`;
  }
  if (!isSameIssuer(found.issuer, known.issuer)) {
    return `it now sends people to ${found.issuer}, and ${whoSays[known.by]} ${known.issuer}`;
  }
  return `its sign-in at ${known.issuer} has changed since an administrator confirmed it, and has to be confirmed again`;
}

/**
 * Returns whether a stored credential may still be sent to the place where it was obtained. Decides by the deployed
 * version, or by the given manifest for a server that is only tested.
 */
export async function mayUse(server: ServerManifest, binding: Binding, parts: Parts): Promise<boolean> {
  const { id } = server;
  const { client } = binding;
  const isOperators =
    client.isOperators === true ||
    client.clientId === parts.secrets.clientId(id) ||
    (client.clientSecret !== undefined && client.clientSecret === parts.secrets.clientSecret(id));
  const judged = parts.catalogue.snapshot().byId.get(id) ?? server;
  return isAllowed(await judgePair(judged, binding, isOperators, parts));
}
