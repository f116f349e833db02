import {
  CLIENT_CAPABILITIES_META_KEY,
  McpServer,
  type ClientCapabilities,
  type Progress,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { CatalogueItem, CatalogueServer } from '#features/catalogue/index.ts';
import { askSignIn, withoutOwnAnswers } from './ask-sign-in.ts';
import type { CallRequest } from './call-request.ts';
import { callTool } from './call-tool.ts';
import { completeArgument, getPrompt, readResource } from './forward-other.ts';
import type { GatewayParts } from './gateway-parts.ts';
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
      resources: { listChanged: true },
      completions: {},
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
  handlers.setRequestHandler('tools/list', async () => ({
    tools: (await visible()).servers.flatMap((from) => from.tools.map((item) => listedTool(person, from, item))),
    ...cache,
  }));
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

  handlers.setRequestHandler('tools/call', async (message, context) => {
    const request = forwarded(person, message.params, context);
    const result = await callTool(withoutOwnAnswers(request), parts);
    return askSignIn(result, request, request.clientCapabilities ?? handlers.getClientCapabilities(), parts.ids.uuid);
  });
  handlers.setRequestHandler('prompts/get', (message, context) =>
    getPrompt(forwarded(person, message.params, context), parts),
  );
  handlers.setRequestHandler('resources/read', (message, context) =>
    readResource(forwarded(person, message.params, context), parts),
  );
  handlers.setRequestHandler('completion/complete', (message, context) =>
    completeArgument(forwarded(person, message.params, context), parts),
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

type Params = { _meta?: Record<string, unknown> | undefined };

function forwarded<P extends Params>(person: Person, params: P, context: ServerContext): CallRequest<P> {
  const { mcpReq } = context;
  // The token names this hop's progress; the adapter makes one of its own for the next.
  const { progressToken, ...meta } = params._meta ?? {};
  const token = mcpReq._meta?.progressToken ?? progressToken;
  const onProgress = (progress: Progress) => {
    // A client that is gone cannot be told; that ends the call by its signal.
    mcpReq.notify({ method: 'notifications/progress', params: { ...progress, progressToken: token } }).catch(() => {});
  };
  const state = mcpReq.requestState<string>();
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  return {
    person,
    params: {
      ...params,
      _meta: meta,
      ...(mcpReq.inputResponses && { inputResponses: mcpReq.inputResponses }),
      ...(state !== undefined && { requestState: state }),
    },
    signal: mcpReq.signal,
    onProgress: token === undefined ? undefined : onProgress,
    clientCapabilities: envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined,
  };
}

function instructions(person: Person, parts: GatewayParts): string {
  const snapshot = parts.catalogue.snapshot();
  if (person.serverId !== undefined) {
    const server = snapshot.byId.get(person.serverId);
    return server?.instructions ?? server?.manifest.description ?? '';
  }
  return (
    'Tools of several services stand here together. The first part of a name, before "__", says which service it belongs to. ' +
    'A result with isError says in its text what to do.'
  );
}
