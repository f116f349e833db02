import type { CatalogueServer } from '#features/catalogue/index.ts';
import { revokeStored } from './tokens/revoke-tokens.ts';
import type { SignInParts } from './sign-in-parts.ts';

/** Deletes a user's tokens or headers, and revokes tokens. Returns false when there was no account. */
export async function disconnect(userId: string, server: CatalogueServer, parts: SignInParts): Promise<boolean> {
  // Deleted first, so that no call can use the tokens from now on, even if the authorization server does not answer.
  const removed = await parts.store.remove(userId, server.id);
  if (!removed) return false;
  await parts.onChanged(userId, server.id);
  revokeStored(removed, server, parts);
  return true;
}
