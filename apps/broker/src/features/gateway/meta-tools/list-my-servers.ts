import type { CallToolResult } from '@modelcontextprotocol/server';
import { estimateTokens, toolPrefix } from '#features/catalogue/index.ts';
import { connectUrl } from '../call/ask-sign-in.ts';
import { structuredResult } from '../call/own-results.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { isListed } from '../view/is-listed.ts';
import type { RequestContext } from '../view/request-context.ts';

/** Characters of each server's instructions, which may be a manual. Its own link has all of them. */
const maxInstructions = 500;

/** Lists every server that the user may use, switched on or not, and what is left to do before its tools work. */
export async function listMyServers(
  { caller, capabilities }: RequestContext,
  parts: GatewayParts,
): Promise<CallToolResult> {
  const { userId } = caller;
  const [isEntitled, seen] = await Promise.all([parts.entitlement(userId), parts.view(userId)]);
  const servers = await Promise.all(
    parts.catalogue
      .snapshot()
      .servers.filter(isEntitled)
      .map(async (server) => {
        const offered = seen.own.part(server);
        const listed = offered.tools.filter((tool) => isListed(capabilities, tool));
        const needsSignIn = await parts.needsSignIn(userId, server);
        return {
          id: server.id,
          name: server.manifest.name,
          toolPrefix: toolPrefix(server.slug),
          status: server.status,
          switchedOn: seen.part(server) !== undefined,
          ...(server.instructions !== undefined && { instructions: server.instructions.slice(0, maxInstructions) }),
          tools: listed.length,
          estimatedTokens: estimateTokens(listed),
          ...(needsSignIn && { needsSignIn: true, signInAt: connectUrl(parts.publicUrl, server.id) }),
        };
      }),
  );
  return structuredResult({ servers });
}
