import { mcpScopes } from '@souk/contract/identity.ts';
import { knownScopes } from '../oauth/authorize-request.ts';
import type { Interaction } from '../oauth/find-interaction.ts';
import { isLoopbackRedirect, redirectHost } from '../oauth/redirect-uri.ts';
import type { ConsentRequest } from '../pages/consent-page.ts';
import { addressOf } from './ask-provider.ts';
import type { SignInContext } from './sign-in-context.ts';

/** Content of an interaction's consent page, and where its answer goes. @returns undefined for an unknown client */
export async function describeConsent(
  context: SignInContext,
  interaction: Interaction,
): Promise<{ page: ConsentRequest; redirectUri: string } | undefined> {
  const { client_id: clientId, redirect_uri: redirectUri, scope, resource } = interaction.params;
  const client = await context.provider.Client.find(String(clientId));
  if (!client || typeof redirectUri !== 'string') return undefined;
  const accountId = interaction.prompt.name === 'login' ? undefined : interaction.session?.accountId;
  const user = accountId === undefined ? undefined : await context.users.find(accountId);
  const addresses = [resource ?? context.resources.mcp].flat().map(String);
  const page = {
    brandName: context.brandName,
    action: addressOf(interaction),
    clientName: client.clientName ?? 'An application without a name',
    publishedBy: client.clientId.startsWith('https://') ? new URL(client.clientId).host : undefined,
    redirect: { host: redirectHost(redirectUri), isLocal: isLocal(redirectUri) },
    scopes: typeof scope === 'string' ? scope.split(' ').filter((one) => knownScopes.has(one)) : mcpScopes,
    addresses,
    services: await context.describeServices(addresses, user?.id),
    email: user?.email,
    standIn: context.providers.standIn !== undefined,
    signInWith: context.providers.only?.name,
  };
  return { page, redirectUri };
}

/** Whether the client is on the user's own machine: at a loopback address, or at an application's own scheme. */
function isLocal(redirectUri: string): boolean {
  return isLoopbackRedirect(redirectUri) || !/^https?:/i.test(redirectUri);
}
