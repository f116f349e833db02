import { isDeepStrictEqual } from 'node:util';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { isPerUser } from './upstream-target.ts';

/** What a call wants of its connection. */
export type ConnectionNeeds = {
  /** What the person's client can be asked. */
  capabilities?: ClientCapabilities | undefined;
  /** It must be this person's alone, whatever the manifest says: it holds their subscriptions. */
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
 * Which connection a person's call goes over. On a connection of many nobody can tell whom a question of the server is
 * for (gateway.md, trap 6): whoever can be asked gets one of their own, and one for each thing that their clients can do,
 * since a server up to 2025-11-25 learns of it once, at the handshake. Modern servers are told with each request.
 *
 * A program is one process for each (server, identity) whatever the clients can do: two would write the same files.
 * Which client it asks is decided by the call under way (adapters/mcp/running-calls.ts). One that everybody shares is
 * asked for nobody.
 */
export function connectionKey(
  server: CatalogueServer,
  userId: string | undefined,
  { capabilities, own = false }: ConnectionNeeds = {},
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
 * What a program must be told so that it can ask both for the clients that it knows of and for another.
 * @returns `told` itself when that covers the other
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
