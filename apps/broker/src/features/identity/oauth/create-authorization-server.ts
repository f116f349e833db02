import { createBackground } from '#platform/work/background.ts';
import type { IdentityOptions } from '../identity-options.ts';
import type { Revocations } from '../revocations.ts';
import type { UserStore } from '../users/user-store.ts';
import { createAuthorizations } from './authorizations.ts';
import { answerUnavailable } from './answer-unavailable.ts';
import { createProvider } from './create-provider.ts';
import { emitSignIns } from './emit-sign-ins.ts';
import { createClientDocumentStore } from './client-documents/client-document-store.ts';
import { createClientDocuments } from './client-documents/client-documents.ts';
import { createClientDocumentFetch } from './client-documents/fetch-client-document.ts';
import { createKnownDocumentCheck } from './client-documents/check-known-documents.ts';
import { createFrontendCookie } from './frontend-cookie.ts';
import { createOpenInteractions } from './open-interactions.ts';
import { createHandOff } from './tokens/hand-off-grant.ts';
import { createRefreshReuse } from './tokens/refresh-reuse.ts';
import type { Resources } from './resources.ts';
import type { SigningKeys } from './keys/signing-keys.ts';
import { extendTokenAnswers } from './tokens/token-endpoint.ts';

export type AuthorizationServer = ReturnType<typeof createAuthorizationServer>;

/** Builds the OAuth server for clients and for our own web app: oidc-provider with everything around it. */
export function createAuthorizationServer(
  options: IdentityOptions,
  parts: { resources: Resources; keys: SigningKeys; users: UserStore; revocations: Revocations },
) {
  const { db, config, clock, ids, log, events } = options;
  const { publicUrl } = config;
  const { resources, keys, users, revocations } = parts;
  const cookie = createFrontendCookie({ publicUrl, cookieKey: keys.cookieKey, secret: (bytes) => ids.secret(bytes) });
  const reuse = createRefreshReuse({ db, key: keys.cookieKey });
  const { signInPerMinute } = config.limits;
  const most = options.mostInteractions;
  const interactions = createOpenInteractions({ query: db.query, key: keys.cookieKey, signInPerMinute, most });
  const background = createBackground(log);
  const documentFetch = createClientDocumentFetch({
    outgoing: options.outgoing,
    dispatcher: options.documentDispatcher,
  });
  const documents = createClientDocuments({
    documents: documentFetch,
    store: createClientDocumentStore(db.query),
    clock,
    log,
    background,
    events,
  });
  const provider = createProvider(options, {
    resources,
    users,
    reuse,
    interactions,
    keys,
    fetchClientDocument: documents.answer,
    onGrantRevoked: (grantId) => void revocations.announce(grantId),
  });
  const authorizations = createAuthorizations({ db, clock, announce: revocations.announce });
  const handOff = createHandOff({ provider, publicUrl, cookieKey: keys.cookieKey, resources, ids });
  extendTokenAnswers(provider, { cookie, handOff, authorizations });
  if (events) emitSignIns(provider, events, db.query);
  answerUnavailable(provider);
  provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'the authorization server failed'));
  return {
    provider,
    cookie,
    reuse,
    interactions,
    authorizations,
    handOff,
    checkKnownDocuments: createKnownDocumentCheck(documentFetch.fetch, clock),
    async close() {
      await background.flush();
      await documents.close();
    },
  };
}
