import type { ServerManifest } from '#features/catalogue/index.ts';
import { needsOwnSecrets } from '../sign-in/credentials.ts';
import type { UpstreamSignIn } from '../sign-in/create-upstream-sign-in.ts';

/**
 * Whose account the test goes on with: the administrator's own, where they want it and have one for the address that the
 * manifest names. Nobody else's is ever used.
 * @returns undefined: as a discovery, without an account
 */
export async function ownAccount(
  server: ServerManifest,
  asked: { userId: string | undefined; withOwnAccount: boolean },
  signIn: Pick<UpstreamSignIn, 'needsAccount'>,
): Promise<string | undefined> {
  const { userId, withOwnAccount } = asked;
  if (!withOwnAccount || userId === undefined || !needsOwnSecrets(server)) return undefined;
  return (await signIn.needsAccount(userId, server)) ? undefined : userId;
}
