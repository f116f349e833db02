import type { CatalogueServer } from '#features/catalogue/index.ts';
import { revokeStored } from './tokens/revoke-tokens.ts';
import type { SignInParts } from './sign-in-parts.ts';

/** Deletes a person's tokens or headers, and tells the authorization server. False when there was no account. */
export async function disconnect(userId: string, server: CatalogueServer, parts: SignInParts): Promise<boolean> {
  // Deleted first: from here on no call can use them, even if the authorization server does not answer.
  const removed = await parts.store.remove(userId, server.id);
  if (!removed) return false;
  await parts.onChanged(userId, server.id);
  revokeStored(removed, server, parts);
  return true;
}
