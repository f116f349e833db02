import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { CatalogueServer, ServerManifest } from '#features/catalogue/index.ts';
import { kindsOf, type QuestionKinds } from './question-kinds.ts';
import { isPerUser } from './upstream-target.ts';

/** What a call needs of its connection. */
export type UpstreamNeeds = {
  /** What the person's client can be asked. */
  capabilities?: ClientCapabilities | undefined;
  /** It must be this person's alone, also where the manifest shares: their subscriptions are on it. */
  own?: boolean;
  /** It is for reading what such a client is offered (`userId` undefined): nobody is asked on it. */
  listsFor?: ClientCapabilities;
};

export type ConnectionKey = {
  key: string;
  /** Only one person's calls go over it. */
  ofOnePerson: boolean;
  /** What is said of the client at the handshake: it can be asked these. */
  kinds: QuestionKinds;
};

/**
 * Which connection a person's call goes over. On a shared connection the questions of a server cannot be matched to a
 * person (gateway.md, trap 6), so each person whose client can be asked gets a connection of their own, and one for each
 * set of kinds of questions, never for each object that a client declares: a server up to 2025-11-25 learns of those once, at the handshake. Modern servers are told with each
 * request.
 *
 * A program is one process for each (server, person), also for clients with other capabilities: two would write the same files. The call
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
