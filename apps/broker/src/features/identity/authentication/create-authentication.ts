import type { Guard } from '#platform/http/router.ts';
import type { Authorizations } from '../oauth/authorizations.ts';
import type { Resources } from '../oauth/resources.ts';
import type { SigningKeys } from '../oauth/keys/signing-keys.ts';
import type { IdentityOptions } from '../identity-options.ts';
import type { Revocations } from '../revocations.ts';
import { createPersonalTokenStore } from '../tokens/personal-token-store.ts';
import { createPersonalTokens } from '../tokens/personal-tokens.ts';
import type { UserStore } from '../users/user-store.ts';
import { createAuthenticateMcp, type McpChallenge } from './authenticate-mcp.ts';
import { createGuessLimit } from './guess-limit.ts';
import { createGuard } from './guard.ts';
import { rememberCallers } from './remembered-callers.ts';
import { createUseRecorder } from './use-recorder.ts';
import { createAccessTokens } from './verify-access-token.ts';

/** Everything that identifies callers: access tokens, personal tokens, and recently verified callers. */
export function createAuthentication(
  { db, config, clock, ids, log, recordRefusedAdmin }: IdentityOptions,
  parts: {
    users: Pick<UserStore, 'providers' | 'maySignIn'>;
    resources: Resources;
    keys: SigningKeys;
    authorizations: Authorizations;
    revocations: Revocations;
  },
) {
  const { users, resources, keys, authorizations, revocations } = parts;
  const { adminEmails } = config;
  const { providers, maySignIn } = users;
  const uses = createUseRecorder({ clock, log, write: authorizations.recordUse });
  const accessTokens = createAccessTokens({
    db,
    issuer: config.publicUrl,
    findKey: keys.findKey,
    providers,
    maySignIn,
    adminEmails,
    noteUse: uses.note,
  });
  const tokenStore = createPersonalTokenStore(db, providers);
  const onRevoked = revocations.announce;
  const tokens = createPersonalTokens({ store: tokenStore, clock, ids, log, adminEmails, maySignIn, onRevoked });
  const remembered = rememberCallers<{ challenge: McpChallenge }>(revocations, clock);
  const guessWait = createGuessLimit({ db, findKey: keys.findKey, clock });
  const guard: Guard = createGuard(accessTokens, tokens, resources.api, guessWait, recordRefusedAdmin);
  return {
    accessTokens,
    tokenStore,
    tokens,
    remembered,
    guard,
    guessWait,
    authenticateMcp: createAuthenticateMcp(accessTokens, tokens, remembered),
    async stop(): Promise<void> {
      remembered.stop();
      await tokens.stop();
      await uses.flush();
    },
  };
}
