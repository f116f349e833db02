import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import type { CatalogueItem, CatalogueServer } from '#features/catalogue/index.ts';
import { askSignIn, withoutOwnAnswers } from './ask-sign-in.ts';
import { callTool } from './call-tool.ts';
import { completeArgument, getPrompt, readResource } from './forward-other.ts';
import { forwardRequest } from './forward-request.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { callAcrossEras } from './input-rounds/across-eras.ts';
import { callMetaTool } from './meta-tools/call-meta-tool.ts';
import { isMetaTool, metaTools } from './meta-tools/meta-tool-definitions.ts';
import { serveSubscriptions } from './subscriptions/session-subscriptions.ts';
import { shownName, visibleTo, type Person, type Visible } from './person.ts';

/** Lists change when a service is deployed or switched: a client may keep one for this long. */
const listTtlMs = 30_000;
const cache = { ttlMs: listTtlMs, cacheScope: 'private' as const };

export type ServerIdentity = { name: string; title: string; version: string };

/**
 * The server object of one request (modern) or one session (legacy): never shared, so that no answer can reach another
 * person (gateway.md). Lists come from the stored catalogue; calls are forwarded.
 * `pinned`, what the person may see, is read ahead where the SDK must know a tool's schema before the handler runs.
 */
export function buildServer(
  person: Person,
  identity: ServerIdentity,
  parts: GatewayParts,
  pinned?: Visible,
): McpServer {
  const server = new GatewayServer(identity, {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
    },
    instructions: instructions(person, parts),
  });
  server.visible = pinned;
  const { server: handlers } = server;
  const visible = () => visibleTo(person, parts.catalogue.snapshot(), parts.access);
  const list = async (pick: (from: Visible['servers'][number]) => readonly CatalogueItem[]) =>
    (await visible()).servers.flatMap(pick);

  // The catalogue's definitions are the upstreams' own and were validated when they were discovered; their type is
  // wider than the SDK's because they are kept with every field, also those that this SDK does not know.
  // A server's own link shows that server alone; the tools that find and call others belong to the common one.
  const own = person.serverId === undefined ? metaTools : [];
  handlers.setRequestHandler('tools/list', async () => {
    if (own.length > 0 && (await parts.isCompact(person.caller))) return { tools: [...own], ...cache };
    const listed = (await visible()).servers.flatMap((from) =>
      from.tools.map((item) => listedTool(person, from, item)),
    );
    return { tools: [...own, ...listed], ...cache };
  });
  handlers.setRequestHandler('prompts/list', async () => ({
    prompts: (await list((from) => from.prompts)).map((item) => ({
      ...item.definition,
      name: shownName(person, item),
    })),
    ...cache,
  }));
  handlers.setRequestHandler('resources/list', async () => ({
    resources: (await list((from) => from.resources)).map((item) => ({
      ...(item.definition as { name: string }),
      uri: shownName(person, item),
    })),
    ...cache,
  }));
  handlers.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: (await list((from) => from.templates)).map((item) => ({
      ...(item.definition as { name: string }),
      uriTemplate: shownName(person, item),
    })),
    ...cache,
  }));

  const forwarded = <P extends { _meta?: Record<string, unknown> | undefined }>(params: P, context: ServerContext) =>
    forwardRequest(person, params, context, handlers.getClientCapabilities());

  handlers.setRequestHandler('tools/call', async ({ params }, context) =>
    parts.rounds.run(forwarded(params, context), context, (request) =>
      callAcrossEras(request, async () => {
        const { name } = request.params;
        const call = (inner: typeof request) => callTool(withoutOwnAnswers(inner), parts);
        const result = await (own.length > 0 && isMetaTool(name)
          ? callMetaTool(name, request, parts, call)
          : call(request));
        return askSignIn(result, request, request.person.capabilities, parts.ids.uuid);
      }),
    ),
  );
  handlers.setRequestHandler('prompts/get', ({ params }, context) =>
    parts.rounds.run(forwarded(params, context), context, (request) => getPrompt(request, parts)),
  );
  handlers.setRequestHandler('resources/read', ({ params }, context) =>
    parts.rounds.run(forwarded(params, context), context, (request) => readResource(request, parts)),
  );
  handlers.setRequestHandler('completion/complete', ({ params }, context) =>
    completeArgument(forwarded(params, context), parts),
  );
  serveSubscriptions(handlers, person, parts.subscriptions);
  handlers.setNotificationHandler('notifications/roots/list_changed', () =>
    parts.pool.announceRoots(person.caller.userId),
  );
  return server;
}

/** A tool as listed: its upstream's definition, our name, and what only we know of it in `_meta`. */
function listedTool(person: Person, from: CatalogueServer, item: CatalogueItem) {
  const marks = {
    ...(item.creditCost > 0 && { 'souk/creditCost': item.creditCost }),
    // what was last known of a server that does not answer now
    ...(from.status !== 'connected' && { 'souk/stale': true }),
  };
  const definition = item.definition as { inputSchema: { type: 'object' }; _meta?: Record<string, unknown> };
  return {
    ...definition,
    name: shownName(person, item),
    ...((definition._meta || Object.keys(marks).length > 0) && { _meta: { ...definition._meta, ...marks } }),
  };
}

/** The SDK checks Mcp-Param-* headers against the schema that this gives it, before the handler runs (SEP-2243). */
class GatewayServer extends McpServer {
  visible: Visible | undefined;

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    const schema = this.visible?.tool(name)?.item.definition['inputSchema'];
    return typeof schema === 'object' && schema !== null ? { ...schema } : undefined;
  }
}

function instructions(person: Person, parts: GatewayParts): string {
  const snapshot = parts.catalogue.snapshot();
  if (person.serverId !== undefined) {
    const server = snapshot.byId.get(person.serverId);
    return server?.instructions ?? server?.manifest.description ?? '';
  }
  return (
    'Tools of several services stand here together. The first part of a name, before "__", says which service it belongs to. ' +
    'What is not in your list is found with find_tools and called with call_read_only_tool or call_tool. ' +
    'A result with isError says in its text what to do.'
  );
}
