import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { CatalogueServer, ServerManifest } from '#features/catalogue/index.ts';
import { kindsOf, type QuestionKinds } from './question-kinds.ts';
import { isPerUser } from './upstream-target.ts';

export type UpstreamNeeds = {
  capabilities?: ClientCapabilities | undefined;
  /** Requires the user's own connection even if the manifest shares connections, for their subscriptions. */
  own?: boolean;
  /**
   * Requires a connection to read what the server lists to such a client. Questions on it are not answered (`userId`
   * undefined).
   */
  listsFor?: ClientCapabilities;
};

export type ConnectionKey = {
  key: string;
  ofOnePerson: boolean;
  /** Questions that the handshake declares the client can answer. */
  kinds: QuestionKinds;
};

/**
 * Returns which connection a user's call uses. On a shared connection a server's questions cannot be matched to a user,
 * so each user whose client answers questions gets their own connections, one per set of question kinds: a server up to
 * 2025-11-25 learns these once, at the handshake. Modern servers get them with each request.
 *
 * A program is one process per server and user, even if the user's clients have different capabilities: two processes
 * would write the same files. A question goes to the client of the call under way
 * (adapters/mcp/connect/running-calls.ts). A program that all users share asks no client.
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
