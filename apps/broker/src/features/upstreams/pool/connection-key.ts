import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { CatalogueServer, ServerManifest } from '#features/catalogue/index.ts';
import { kindsOf, type QuestionKinds } from './question-kinds.ts';
import { isPerUser } from './upstream-target.ts';

export type UpstreamNeeds = {
  /** Capabilities of the user's client. */
  capabilities?: ClientCapabilities | undefined;
  /** Requires a connection of this user alone even if the manifest shares: their subscriptions are on it. */
  own?: boolean;
  /** Reads what the server lists to such a client, which is asked nothing (`userId` undefined). */
  listsFor?: ClientCapabilities;
};

export type ConnectionKey = {
  key: string;
  /** Whether only one user's calls go over the connection. */
  ofOnePerson: boolean;
  /** Questions that the handshake declares the client can answer. */
  kinds: QuestionKinds;
};

/**
 * Returns which connection a user's call goes over. On a shared connection a server's questions cannot be matched to a user
 * (gateway.md, trap 6), so each user whose client answers questions gets their own, one per set of question kinds and not
 * per object that a client declares: a server up to 2025-11-25 learns them once, at the handshake. Modern servers are told
 * with each request.
 *
 * A program is one process per (server, user), also with different capabilities of clients: two would write the same files. The call
 * under way decides which client it asks (adapters/mcp/connect/running-calls.ts). A program that everyone shares asks no
 * client.
 */
export function connectionKey(
  server: CatalogueServer,
  userId: string | undefined,
  { capabilities, own = false, listsFor }: UpstreamNeeds = {},
): ConnectionKey {
  if (listsFor) {
    const kinds = kindsOf(listsFor);
    return { key: `${server.id}//lists/${kinds}`, ofOnePerson: false, kinds };
  }
  const perUser = isPerUser(server);
  if (isProgram(server)) {
    const ofOnePerson = userId !== undefined && perUser;
    return {
      key: `${server.id}/${ofOnePerson ? userId : ''}/`,
      ofOnePerson,
      kinds: ofOnePerson ? askable(server, capabilities) : 0,
    };
  }
  const asked = askable(server, capabilities);
  const ofOnePerson = userId !== undefined && (perUser || own || asked !== 0);
  return {
    key: `${server.id}/${ofOnePerson ? userId : ''}/${asked === 0 ? '' : asked}`,
    ofOnePerson,
    kinds: ofOnePerson ? asked : 0,
  };
}

export function isProgram(server: ServerManifest): boolean {
  return server.manifest.connection.type === 'stdio';
}

function askable(server: CatalogueServer, capabilities: ClientCapabilities | undefined): QuestionKinds {
  return server.era?.verdict === 'modern' ? 0 : kindsOf(capabilities);
}
