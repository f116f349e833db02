import { isDeepStrictEqual } from 'node:util';
import type { ServerSignIn } from '@souk/contract/admin/servers.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { writeAudit } from '#platform/audit/audit-log.ts';
import { queryWithin } from '#platform/db/query-within.ts';
import { SoukError } from '#platform/errors.ts';
import { findPair } from './find-pair.ts';
import { placeOf, type IssuerPlace } from './issuer-place.ts';
import { confirmedIssuer, pinOf, type Judgement } from './known-issuer.ts';
import { clientIssuerVariable, configuredClient } from '../client/operator-secrets.ts';
import { dropRegistrations, registeredAt } from '../client/registrations.ts';
import type { SignInParts } from '../sign-in-parts.ts';

/** Returns where users sign in at a server, as it currently says, and what was decided about that. */
export async function describeIssuer(server: CatalogueServer, parts: SignInParts): Promise<ServerSignIn> {
  const configured = configuredClient(server, parts);
  const found = await findPair(server, parts);
  const { state, known, doubts } = found.pair ? found : await judgeWithoutPair(server, configured !== undefined, parts);
  const registered = await registeredAt(parts.identity.db.query, server.id);
  return {
    state,
    clientId: configured?.clientId ?? null,
    registeredAt: registered?.toISOString() ?? null,
    variable: clientIssuerVariable(server.id),
    known: known
      ? {
          by: known.by,
          issuer: known.issuer,
          tokenEndpoint: known.by === 'administrator' ? known.place.tokenEndpoint : null,
          confirmedAt: known.by === 'administrator' ? known.at.toISOString() : null,
        }
      : null,
    named: found.pair && placeOf(found.pair),
    doubts: [...doubts],
    problem: found.problem,
  };
}

/** Judges a server that currently names no authorization server. */
async function judgeWithoutPair(server: CatalogueServer, isOperators: boolean, parts: SignInParts): Promise<Judgement> {
  const known = pinOf(server, parts) ?? (await confirmedIssuer(server.id, parts));
  const state = known ? 'confirmed' : isOperators ? 'waiting' : 'open';
  return { state, known, doubts: [] };
}

/**
 * Confirms the authorization server that an administrator was shown: users may be sent there, and our client may be used.
 * @throws SoukError invalid_request when nothing is to be confirmed; changed_since_shown
 */
export async function confirmIssuer(
  server: CatalogueServer,
  shown: IssuerPlace,
  by: { actorId: string },
  parts: SignInParts,
): Promise<void> {
  const { name } = server.manifest;
  const found = await findPair(server, parts);
  const named = found.pair && placeOf(found.pair);
  if (!found.pair || !isDeepStrictEqual(named, shown)) {
    const now = named
      ? `now names ${named.issuer}`
      : `currently does not say where its users sign in: ${found.problem}`;
    throw new SoukError('changed_since_shown', {
      message: `${name} ${now}. Nothing was confirmed. Check it and try again.`,
    });
  }
  const reason = whyNotToConfirm(server, found);
  if (reason !== undefined) throw new SoukError('invalid_request', { message: reason });
  await parts.issuers.confirm(server.id, shown, by);
}

function whyNotToConfirm(server: CatalogueServer, { state, known }: Judgement): string | undefined {
  const { name } = server.manifest;
  if (state === 'open') return `${name} signs users in on its own site: there is nothing to confirm.`;
  if (state === 'waiting' || known?.by === 'administrator') return undefined;
  return known?.by === 'environment'
    ? `The operator has decided that with ${clientIssuerVariable(server.id)}.`
    : `The manifest of ${name} names ${known?.issuer ?? 'another issuer'}: deploy a version that names another one.`;
}

/** Drops our registrations, so that the next sign-in registers again. Users who are signed in stay signed in. */
export async function registerAgain(
  server: CatalogueServer,
  { actorId }: { actorId: string },
  { identity, clock }: SignInParts,
): Promise<void> {
  await identity.db.kysely.transaction().execute(async (tx) => {
    const dropped = await dropRegistrations(queryWithin(tx), server.id);
    if (dropped === 0) return;
    const entry = { actorId, action: 'sign-in.registration-dropped', subject: server.id } as const;
    await writeAudit(tx, entry, new Date(clock.now()));
  });
}
