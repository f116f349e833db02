import type {
  AuthorizationRefusal,
  IdentityEvents,
  RefusedGrant,
  TokenRequestRefusal,
} from '#features/identity/index.ts';
import type { Background } from '#platform/work/background.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { Clock } from '#platform/clock.ts';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { attemptKey, type Failure, type RecordEvent } from './attempt-event.ts';
import type { FailureFacts } from './describe-failure.ts';

/** New sign-ins per user or address that are recorded: each is a row. */
const signInsPerMinute = 30;

/** Follows clients through their sign-in: authorize, consent, token, and why a step failed. */
export function followSignIns(options: {
  clock: Clock;
  record: RecordEvent;
  background: Background;
  /** The resource that clients with the right link ask for. */
  mcpUrl: string;
}): Omit<IdentityEvents, 'documentFailed' | 'documentFetched'> {
  const { clock, record, background, mcpUrl } = options;
  const began = createRateLimit(signInsPerMinute, clock);

  return {
    signInBegan({ signInId, userId, address, ...client }) {
      if (!began.take(userId ?? addressGroup(address))) return;
      record({
        key: attemptKey.signIn(signInId),
        atMs: clock.now(),
        ...client,
        ...(userId !== undefined && { userId }),
        passed: [introduction(client.clientId), 'authorize'],
      });
    },

    consentGiven({ signInId, grantId, userId, ...client }) {
      record({
        key: attemptKey.grant(grantId),
        ...(signInId !== undefined && { formerKey: attemptKey.signIn(signInId) }),
        atMs: clock.now(),
        userId,
        ...client,
        passed: ['consent'],
      });
    },

    authorizationRefused(refusal) {
      const { client, signInId, userId } = refusal;
      const failure = authorizationFailure(refusal, mcpUrl);
      const event = { atMs: clock.now(), ...client, failure };
      if (signInId !== undefined) {
        record({ key: attemptKey.signIn(signInId), ...(userId !== undefined && { userId }), ...event });
      } else if (userId !== undefined) {
        // without a user the attempt could never be shown; the error page says what is wrong
        const key = attemptKey.refused(userId, client.clientId, failure.reason);
        record({ key, userId, ...event, passed: failure.step === 'authorize' ? [introduction(client.clientId)] : [] });
      }
    },

    tokenIssued({ grantId, userId, userAgent, ...client }) {
      record({
        key: attemptKey.grant(grantId),
        atMs: clock.now(),
        userId,
        ...client,
        ...(userAgent !== undefined && { userAgent: cleanLabel(userAgent) }),
        passed: ['token'],
      });
    },

    tokenRefused(refusal) {
      const atMs = clock.now();
      const work = refusal.findGrant().then((grant) => {
        if (!grant) return;
        const { grantId, userId, clientId } = grant;
        const failure = tokenFailure(refusal, grant, mcpUrl);
        record({ key: attemptKey.grant(grantId), atMs, userId, clientId, failure });
      });
      background.add(work, 'why a client got no token was not recorded');
    },

    reuseDetected({ grantId }) {
      const failure: Failure = { step: 'token', reason: 'reused' };
      record({ key: attemptKey.grant(grantId), atMs: clock.now(), failure });
    },
  };
}

/** How the client introduced itself. The id of a client with a metadata document is the document's URL. */
function introduction(clientId: string): 'registration' | 'metadata-document' {
  return clientId.startsWith('https://') ? 'metadata-document' : 'registration';
}

function authorizationFailure(refusal: AuthorizationRefusal, mcpUrl: string): Failure {
  const { client, error, askedHost, registeredHosts, askedResource } = refusal;
  switch (error) {
    case 'access_denied':
      return { step: 'consent', reason: 'consent-denied' };
    case 'invalid_redirect_uri': {
      const facts = { asked: askedHost, registered: registeredHosts.join(', ') };
      const isPublished = introduction(client.clientId) === 'metadata-document';
      return { step: 'authorize', reason: isPublished ? 'redirect-unpublished' : 'redirect-mismatch', facts };
    }
    case 'invalid_target':
      return { step: 'authorize', reason: 'wrong-resource', facts: resourceFacts(askedResource, mcpUrl) };
    case 'invalid_client':
    case 'invalid_client_metadata':
      return introduction(client.clientId) === 'metadata-document'
        ? { step: 'metadata-document', reason: 'document-unusable', facts: { host: hostOf(client.clientId) } }
        : { step: 'registration', reason: 'client-unknown' };
    case 'login_required':
    case 'account_selection_required':
      return { step: 'authorize', reason: 'no-interaction', facts: { needs: 'sign in' } };
    case 'consent_required':
    case 'interaction_required':
      return { step: 'authorize', reason: 'no-interaction', facts: { needs: 'allow it' } };
    default:
      return { step: 'authorize', reason: 'authorize-refused', facts: { error: wordsOf(refusal) } };
  }
}

function tokenFailure(refusal: TokenRequestRefusal, grant: RefusedGrant, mcpUrl: string): Failure {
  const step = 'token';
  if (refusal.error === 'invalid_target') {
    const granted = grant.resource ?? mcpUrl;
    const facts = resourceFacts(refusal.askedResource, granted);
    const isOurs = URL.parse(refusal.askedResource ?? '')?.origin === new URL(mcpUrl).origin;
    return isOurs
      ? { step, reason: 'other-link', facts: { ...facts, granted } }
      : { step, reason: 'wrong-resource', facts };
  }
  if (refusal.isVerifierWrong) return { step, reason: 'wrong-verifier' };
  if (grant.isUsed) return { step, reason: 'reused' };
  if (grant.isExpired) return { step, reason: grant.kind === 'code' ? 'code-expired' : 'sign-in-ended' };
  return { step, reason: 'token-refused', facts: { error: wordsOf(refusal) } };
}

function resourceFacts(asked: string | undefined, right: string): FailureFacts {
  return { ...(asked !== undefined && { asked: cleanLabel(asked, 200) }), right };
}

function wordsOf({ error, description }: { error: string; description: string | undefined }): string {
  return cleanLabel([error, description].filter((part) => part !== undefined && part !== '').join(', '), 200);
}

function hostOf(address: string): string {
  return cleanLabel(URL.parse(address)?.host ?? 'an invalid address');
}
