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
 */
export function connectionKey(
  server: CatalogueServer,
  userId: string | undefined,
  { capabilities, own = false }: ConnectionNeeds = {},
): ConnectionKey {
  const asked = canAsk(server) ? askable(capabilities) : undefined;
  const ofOnePerson = userId !== undefined && (isPerUser(server) || own || asked !== undefined);
  return {
    key: `${server.id}/${ofOnePerson ? userId : ''}/${asked ? JSON.stringify(asked) : ''}`,
    ofOnePerson,
    capabilities: ofOnePerson ? asked : undefined,
  };
}

/** A program that everybody shares stays one process: it is asked for nobody. */
function canAsk(server: CatalogueServer): boolean {
  if (server.era?.verdict === 'modern') return false;
  return server.manifest.connection.type !== 'stdio' || isPerUser(server);
}

function askable({ elicitation, sampling, roots }: ClientCapabilities = {}): ClientCapabilities | undefined {
  if (!elicitation && !sampling && !roots) return undefined;
  return { ...(elicitation && { elicitation }), ...(sampling && { sampling }), ...(roots && { roots }) };
}
