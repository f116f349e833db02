import { isDeepStrictEqual } from 'node:util';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { isPerUser } from './upstream-target.ts';

/** What a call needs of its connection. */
export type UpstreamNeeds = {
  /** What the person's client can be asked. */
  capabilities?: ClientCapabilities | undefined;
  /** It must be this person's alone, also where the manifest shares: their subscriptions are on it. */
  own?: boolean;
};

export type ConnectionKey = {
  key: string;
  /** Only one person's calls go over it. */
  ofOnePerson: boolean;
  /** What is said of the client at the handshake. */
  capabilities: ClientCapabilities | undefined;
};

/**
 * Which connection a person's call goes over. On a shared connection the questions of a server cannot be matched to a
 * person (gateway.md, trap 6), so each person whose client can be asked gets a connection of their own, and one for each
 * set of abilities: a server up to 2025-11-25 learns of those once, at the handshake. Modern servers are told with each
 * request.
 *
 * A program is one process for each (server, person), also for clients with other capabilities: two would write the same files. The call
 * under way decides which client it asks (adapters/mcp/connect/running-calls.ts). A program that everyone shares asks no
 * client.
 */
export function connectionKey(
  server: CatalogueServer,
  userId: string | undefined,
  { capabilities, own = false }: UpstreamNeeds = {},
): ConnectionKey {
  const perUser = isPerUser(server);
  if (isProgram(server)) {
    const ofOnePerson = userId !== undefined && perUser;
    return {
      key: `${server.id}/${ofOnePerson ? userId : ''}/`,
      ofOnePerson,
      capabilities: ofOnePerson ? askable(server, capabilities) : undefined,
    };
  }
  const asked = askable(server, capabilities);
  const ofOnePerson = userId !== undefined && (perUser || own || asked !== undefined);
  return {
    key: `${server.id}/${ofOnePerson ? userId : ''}/${asked ? JSON.stringify(asked) : ''}`,
    ofOnePerson,
    capabilities: ofOnePerson ? asked : undefined,
  };
}

export function isProgram(server: CatalogueServer): boolean {
  return server.manifest.connection.type === 'stdio';
}

/**
 * What a program must be told so that it can ask both the clients that it knows of and another one.
 * @returns `told` itself when that covers the other client
 */
export function joinCapabilities(
  told: ClientCapabilities | undefined,
  more: ClientCapabilities | undefined,
): ClientCapabilities | undefined {
  if (!more) return told;
  const joined: ClientCapabilities = { ...told, ...more };
  if (told?.elicitation && more.elicitation) joined.elicitation = { ...told.elicitation, ...more.elicitation };
  if (told?.sampling && more.sampling) joined.sampling = { ...told.sampling, ...more.sampling };
  if (told?.roots && more.roots) joined.roots = { ...told.roots, ...more.roots };
  return isDeepStrictEqual(joined, told) ? told : joined;
}

function askable(
  server: CatalogueServer,
  { elicitation, sampling, roots }: ClientCapabilities = {},
): ClientCapabilities | undefined {
  if (server.era?.verdict === 'modern' || (!elicitation && !sampling && !roots)) return undefined;
  return { ...(elicitation && { elicitation }), ...(sampling && { sampling }), ...(roots && { roots }) };
}
