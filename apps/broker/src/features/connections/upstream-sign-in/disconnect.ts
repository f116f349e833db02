import type { CatalogueServer } from '#features/catalogue/index.ts';
import { revokeTokens } from './revoke-tokens.ts';
import { withSignInFetch } from './sign-in-fetch.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { sealedTokensSchema } from './tokens.ts';

/** Forgets a person's tokens or headers, then tells the authorization server. False when there was nothing. */
export async function disconnect(userId: string, server: CatalogueServer, parts: SignInParts): Promise<boolean> {
  // Deleted first: from here on no call can use them, whatever the authorization server does.
  const removed = await parts.store.remove(userId, server.id);
  if (!removed) return false;
  await parts.onChanged(userId, server.id);
  const secrets = removed.open();
  if (removed.kind === 'oauth' && secrets !== undefined) {
    const tokens = sealedTokensSchema.parse(JSON.parse(secrets));
    await withSignInFetch(allowAddressesOf(server, parts), (fetch) => revokeTokens(tokens, fetch, parts.log));
  }
  return true;
}

function allowAddressesOf(server: CatalogueServer, parts: SignInParts): readonly string[] {
  try {
    return parts.addressOf(server).allowAddresses;
  } catch {
    return []; // the service is not running: there is nothing to tell it
  }
}
