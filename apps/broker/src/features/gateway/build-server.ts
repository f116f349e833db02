import { McpServer, type ServerContext, type ServerOptions } from '@modelcontextprotocol/server';
import type { Log } from '#platform/log.ts';
import { askSignIn, orAskSignIn, withoutOwnAnswers } from './ask-sign-in.ts';
import { callTool } from './call-tool.ts';
import { CarefulServer } from './careful-server.ts';
import { completeArgument, getPrompt, readResource } from './forward-other.ts';
import { forwardRequest } from './forward-request.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { callAcrossEras } from './input-rounds/across-eras.ts';
import { callMetaTool } from './meta-tools/call-meta-tool.ts';
import { isMetaTool, metaTools } from './meta-tools/meta-tool-definitions.ts';
import { serveSubscriptions } from './subscriptions/session-subscriptions.ts';
import { capabilitiesOf } from './link-capabilities.ts';
import type { Person, Visible } from './person.ts';
import { callUnderWay } from './request-extra.ts';
import { serveLists } from './serve-lists.ts';

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
  const capabilities = capabilitiesOf(person.serverId, parts.catalogue.snapshot());
  const server = new GatewayServer(identity, { capabilities, instructions: instructions(person, parts) }, parts.log);
  server.visible = pinned;
  const { server: handlers } = server;
  // A server's own link shows that server alone; the tools that find and call others belong to the common one.
  const own = person.serverId === undefined ? metaTools : [];
  serveLists(handlers, person, parts, own);
  const forwarded = <P extends { _meta?: Record<string, unknown> | undefined }>(params: P, context: ServerContext) =>
    forwardRequest(person, params, context, handlers.getClientCapabilities());

  handlers.setRequestHandler('tools/call', async ({ params }, context) =>
    parts.rounds.run(forwarded(params, context), context, (request) =>
      callAcrossEras(request, async () => {
        const { name } = request.params;
        const call = (inner: typeof request) =>
          callUnderWay(context)?.take(inner) ?? callTool(withoutOwnAnswers(inner), parts);
        const result = await (own.length > 0 && isMetaTool(name)
          ? callMetaTool(name, request, parts, call)
          : call(request));
        return askSignIn(result, request, request.person.capabilities, parts.ids.uuid);
      }),
    ),
  );
  handlers.setRequestHandler('prompts/get', ({ params }, context) =>
    parts.rounds.run(forwarded(params, context), context, (request) =>
      orAskSignIn(request, parts.ids.uuid, (inner) => getPrompt(inner, parts)),
    ),
  );
  handlers.setRequestHandler('resources/read', ({ params }, context) =>
    parts.rounds.run(forwarded(params, context), context, (request) =>
      orAskSignIn(request, parts.ids.uuid, (inner) => readResource(inner, parts)),
    ),
  );
  handlers.setRequestHandler('completion/complete', ({ params }, context) =>
    completeArgument(forwarded(params, context), parts),
  );
  serveSubscriptions(handlers, person, parts.subscriptions);
  // the level of a session; since 2026-07-28 each request names its own
  handlers.setRequestHandler('logging/setLevel', async ({ params }) => {
    person.logLevel = params.level;
    return {};
  });
  handlers.setNotificationHandler('notifications/roots/list_changed', () =>
    parts.pool.announceRoots(person.caller.userId),
  );
  return server;
}

/** The SDK checks Mcp-Param-* headers against the schema that this gives it, before the handler runs (SEP-2243). */
class GatewayServer extends McpServer {
  visible: Visible | undefined;

  constructor(
    identity: ServerIdentity,
    options: Required<Pick<ServerOptions, 'capabilities' | 'instructions'>>,
    log: Log,
  ) {
    super(identity);
    // read-only in the SDK's types, and made by it with nobody asked: nothing has used it yet
    Object.assign(this, { server: new CarefulServer(identity, options, log) });
  }

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
