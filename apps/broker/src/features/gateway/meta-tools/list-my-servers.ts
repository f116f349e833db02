import type { CallToolResult } from '@modelcontextprotocol/server';
import { estimateTokens } from '#features/catalogue/index.ts';
import { connectUrl } from '../ask-sign-in.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { Person } from '../person.ts';

/** Every server that the person may use, switched on or not, with what they would have to do before its tools answer. */
export async function listMyServers({ caller }: Person, parts: GatewayParts): Promise<CallToolResult> {
  const { userId } = caller;
  const [mayUse, seen] = await Promise.all([parts.entitled(userId), parts.access(userId)]);
  const servers = await Promise.all(
    parts.catalogue
      .snapshot()
      .servers.filter(mayUse)
      .map(async (server) => {
        const part = seen(server);
        const needsSignIn = await parts.needsSignIn(userId, server);
        return {
          id: server.id,
          name: server.manifest.name,
          status: server.status,
          switchedOn: part !== undefined,
          tools: (part ?? server).tools.length,
          estimatedTokens: estimateTokens(part ?? server),
          ...(needsSignIn && { needsSignIn: true, signInAt: connectUrl(parts.publicUrl, server.id) }),
        };
      }),
  );
  const content = { servers };
  return { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content };
}
