import { adminBillingEndpoints } from '@souk/contract/admin/billing.ts';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { adminPersonEndpoints } from '@souk/contract/admin/person.ts';
import { adminUserEndpoints } from '@souk/contract/admin/users.ts';
import { catalogueSearchEndpoints } from '@souk/contract/catalogue/catalogue-search.ts';
import { createClient } from '@souk/contract/client.ts';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';

export const administrator = 'admin@souk.test';
/** An administrator whose account exists only in the journey about two administrators. */
export const secondAdministrator = 'second@souk.test';

/** Returns the calls of an administrator other than the one in the browser. */
export async function administratorCalls(publicUrl: string) {
  const { accessToken } = await new ScriptedBrowser(publicUrl).signInWeb({ email: administrator });
  return createClient(
    [
      ...adminUserEndpoints,
      ...adminPersonEndpoints,
      ...adminBillingEndpoints,
      ...adminManifestEndpoints,
      ...catalogueSearchEndpoints,
    ] as const,
    {
      baseUrl: publicUrl,
      fetch,
      token: async () => accessToken,
    },
  );
}

/** Creates a user who has signed in once. @returns their id */
export async function newPerson(publicUrl: string, email: string): Promise<string> {
  const { accessToken } = await new ScriptedBrowser(publicUrl).signInWeb({ email });
  const answer = await fetch(`${publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${accessToken}` } });
  return String(Object(await answer.json()).id);
}

/** Erases a user, with the credits, plans, rentals and purchases that a journey has given to them. */
export async function erasePerson(publicUrl: string, id: string, email: string): Promise<void> {
  const calls = await administratorCalls(publicUrl);
  await calls.eraseUser({ params: { id }, body: { confirm: email } });
}

/**
 * Removes those of these servers that exist from the catalogue and from staging. The journeys of one worker share a
 * product: what one leaves staged or deployed, another counts.
 */
export async function deleteServers(publicUrl: string, ids: readonly string[]): Promise<void> {
  const calls = await administratorCalls(publicUrl);
  const { manifests } = await calls.listManifests({ query: {} });
  for (const id of ids) {
    if (manifests.some((listed) => listed.id === id)) await calls.deleteManifest({ params: { id }, body: {} });
  }
}
