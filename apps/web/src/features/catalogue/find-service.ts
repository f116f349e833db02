import type { CapabilityAnswer, ServerAnswer } from '@souk/contract/catalogue.ts';

export type Service = {
  server: ServerAnswer;
  tools: CapabilityAnswer[];
  prompts: CapabilityAnswer[];
  resources: CapabilityAnswer[];
};

type Catalogue = { servers: readonly ServerAnswer[]; capabilities: readonly CapabilityAnswer[] };

/** One server with what it offers, or the specification's text for why there is none (part 1, section 8). */
export function findService({ servers, capabilities }: Catalogue, id: string): Service | { error: string } {
  if (id === '') return { error: 'No server ID provided' };
  if (servers.length === 0) return { error: 'No MCP services found. The MCP broker may not be running.' };
  const server = servers.find(({ serverId }) => serverId === id);
  if (!server) {
    const list = servers.map(({ serverId }) => serverId).join(', ');
    return { error: `MCP server with ID '${id}' not found. Available servers: ${list}` };
  }
  const own = capabilities.filter(({ serverId }) => serverId === id);
  return {
    server,
    tools: own.filter(({ type }) => type === 'tool'),
    prompts: own.filter(({ type }) => type === 'prompt'),
    resources: own.filter(({ type }) => type === 'resource'),
  };
}
