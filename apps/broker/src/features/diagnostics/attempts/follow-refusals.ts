import type { GatewayEvents, RefusedRequest } from '#features/gateway/index.ts';
import type { FindTokenOwner, TokenOwner } from '#features/identity/index.ts';
import type { Background } from '#platform/work/background.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { Clock } from '#platform/clock.ts';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { attemptKey, identifyProgram, type AttemptEvent, type Failure, type RecordEvent } from './attempt-event.ts';

/** Lookups of the owners of refused tokens, per minute and address: each costs a signature and a query. */
const ownersPerMinute = 30;

/** Records, for the owner of its token, why a request was refused before its caller was known. */
export function followRefusals(options: {
  clock: Clock;
  record: RecordEvent;
  background: Background;
  findTokenOwner: FindTokenOwner;
  publicUrl: string;
}): Pick<GatewayEvents, 'requestTurnedAway' | 'requestChallenged' | 'addressUnknown'> {
  const { clock, record, background, findTokenOwner } = options;
  const looked = createRateLimit(ownersPerMinute, clock);

  /** @param failure what was wrong with the request; without it, the token was wrong */
  function recordForOwner({ headers, address, resource }: RefusedRequest, failure?: Failure): void {
    const { authorization } = headers;
    if (authorization === undefined || !looked.take(addressGroup(address))) return;
    const userAgent = cleanLabel(headers['user-agent']);
    const atMs = clock.now();
    const work = findTokenOwner(authorization, resource).then((owner) => {
      const reason = failure ?? (owner && tokenFailure(owner, resource));
      if (owner && reason) record({ ...attemptOf(owner, userAgent), userAgent, atMs, failure: reason });
    });
    background.add(work, 'why a client was refused was not recorded');
  }

  return {
    requestChallenged: (request) => recordForOwner(request),

    addressUnknown(request, asked) {
      const facts = { asked: cleanLabel(asked, 200), right: request.resource };
      recordForOwner(request, { step: 'first-request', reason: 'wrong-address', facts });
    },

    requestTurnedAway(request, code) {
      const { origin, host } = request.headers;
      const failure: Failure =
        code === 'foreign_origin'
          ? { step: 'first-request', reason: 'foreign-origin', facts: { origin: cleanLabel(origin) } }
          : {
              step: 'first-request',
              reason: 'foreign-host',
              facts: { host: cleanLabel(host), right: options.publicUrl },
            };
      recordForOwner(request, failure);
    },
  };
}

function attemptOf(owner: TokenOwner, userAgent: string): Pick<AttemptEvent, 'key' | 'userId' | 'clientId'> {
  const { userId } = owner;
  return owner.kind === 'personal'
    ? identifyProgram(owner, userAgent)
    : { key: attemptKey.grant(owner.grantId), userId, clientId: owner.clientId };
}

function tokenFailure({ kind, problem }: TokenOwner, resource: string): Failure | undefined {
  switch (problem?.kind) {
    case 'revoked':
      return { step: 'token', reason: 'token-revoked' };
    case 'expired':
      return { step: 'token', reason: kind === 'personal' ? 'personal-token-expired' : 'token-expired' };
    case 'other-resource':
      return { step: 'first-request', reason: 'wrong-token', facts: { kind: problem.audience, right: resource } };
    default:
      return undefined;
  }
}
