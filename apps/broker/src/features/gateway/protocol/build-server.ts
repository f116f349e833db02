import {
  isInputRequiredResult,
  McpServer,
  type CallToolResult,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { isBuiltInTool } from '@souk/contract/built-in-tools.ts';
import { asRecord } from '#platform/json.ts';
import { askPrice } from '../call/ask-price.ts';
import { askSignIn, orAskSignIn, withoutOwnAnswers } from '../call/ask-sign-in.ts';
import { callTool } from '../call/call-tool.ts';
import { CarefulServer } from './careful-server.ts';
import { whyClosed, type ClosedLink } from './closed-link.ts';
import { completeArgument } from '../call/complete-argument.ts';
import { getPrompt } from '../call/get-prompt.ts';
import { readResource } from '../call/read-resource.ts';
import { forwardRequest } from './forward-request.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { callAcrossEras, promptOrResourceAcrossEras } from './input-rounds/across-eras.ts';
import { callMetaTool } from '../meta-tools/call-meta-tool.ts';
import { metaTools } from '../meta-tools/meta-tool-definitions.ts';
import type { IdentityOf, ServerIdentity } from './server-identity.ts';
import { capabilitiesOf } from '../view/link-capabilities.ts';
import { asLegacyResult, isListedAsItIs } from '../view/legacy-result.ts';
import type { RequestContext } from '../view/request-context.ts';
import { visibleTo, type Visible } from '../view/visible.ts';
import { extraOfMessage } from './request-extra.ts';
import { serveLists } from './serve-lists.ts';

/**
 * Builds the server object of one request (modern) or one session (legacy). It is never shared, so that no answer can reach
 * another user. Lists come from the stored catalogue; calls are forwarded.
 * @param pinned what the user may see, if it was read in advance: the SDK needs a tool's schema before the handler runs
 */
export function buildServer(
  context: RequestContext,
  identityOf: IdentityOf,
  parts: GatewayParts,
  pinned?: Visible,
): McpServer {
  const capabilities = capabilitiesOf(context.serverId, parts.catalogue.snapshot());
  const options = { capabilities, instructions: instructions(context, parts) };
  const server = new GatewayServer(identityOf(context.serverId), options, parts, () => whyClosed(context, parts));
  server.visible = pinned;
  const { server: handlers } = server;
  // a server's own link shows that server only; the built-in tools belong to the all-servers link
  const own = context.serverId === undefined ? metaTools : [];
  serveLists(handlers, context, parts, own);
  const forwarded = <P extends { _meta?: Record<string, unknown> | undefined }>(params: P, sdk: ServerContext) =>
    forwardRequest(context, params, sdk, handlers.getClientCapabilities(), parts);

  handlers.setRequestHandler('tools/call', async ({ params }, sdk) =>
    parts.rounds.run(forwarded(params, sdk), sdk, (request) =>
      callAcrossEras(request, parts.pages, async () => {
        const { name } = request.params;
        const call = (inner: typeof request) =>
          extraOfMessage(sdk).underWay?.take(inner) ?? callTool(withoutOwnAnswers(inner), parts);
        const result = await askPrice(request, parts, (round) =>
          own.length > 0 && isBuiltInTool(name) ? callMetaTool(name, round, parts, call) : call(round),
        );
        const answer = askSignIn(result, request, parts);
        const isLegacy = request.clientCapabilities === undefined && !isInputRequiredResult(answer);
        return isLegacy ? asListed(answer, context, name, parts) : answer;
      }),
    ),
  );
  handlers.setRequestHandler('prompts/get', ({ params }, sdk) =>
    parts.rounds.run(forwarded(params, sdk), sdk, (request) =>
      promptOrResourceAcrossEras(request, parts.pages, () =>
        orAskSignIn(request, parts, (inner) => getPrompt(inner, parts)),
      ),
    ),
  );
  handlers.setRequestHandler('resources/read', ({ params }, sdk) =>
    parts.rounds.run(forwarded(params, sdk), sdk, (request) =>
      promptOrResourceAcrossEras(request, parts.pages, () =>
        orAskSignIn(request, parts, (inner) => readResource(inner, parts)),
      ),
    ),
  );
  handlers.setRequestHandler('completion/complete', ({ params }, sdk) =>
    completeArgument(forwarded(params, sdk), parts),
  );
  // sets the level of a session; since 2026-07-28 each request names its own
  handlers.setRequestHandler('logging/setLevel', async ({ params }) => {
    context.logLevel = params.level;
    await context.saveLogLevel?.(params.level);
    return {};
  });
  handlers.setNotificationHandler('notifications/roots/list_changed', () =>
    parts.pool.announceRoots(context.caller.userId),
  );
  return server;
}

async function asListed(
  result: CallToolResult,
  context: RequestContext,
  name: string,
  parts: GatewayParts,
): Promise<CallToolResult> {
  if (result.structuredContent === undefined) return result;
  const visible = await visibleTo(context, parts.catalogue.snapshot(), parts.view);
  return asLegacyResult(result, isListedAsItIs(visible.tool(name)?.item.definition ?? {}));
}

/** Gives the SDK a tool's schema, against which it checks Mcp-Param-* headers before the handler runs (SEP-2243). */
class GatewayServer extends McpServer {
  visible: Visible | undefined;

  constructor(
    identity: ServerIdentity,
    options: Required<Pick<ServerOptions, 'capabilities' | 'instructions'>>,
    parts: Pick<GatewayParts, 'log' | 'answered' | 'questions'>,
    reasonWhyClosed: () => Promise<ClosedLink | undefined>,
  ) {
    super(identity);
    // read-only in the SDK's type, but its constructor made this server itself, and nothing has used it yet
    Object.assign(this, { server: new CarefulServer(identity, options, parts, reasonWhyClosed) });
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    const schema = this.visible?.tool(name)?.item.definition['inputSchema'];
    return asRecord(schema);
  }
}

function instructions(context: RequestContext, parts: GatewayParts): string {
  const snapshot = parts.catalogue.snapshot();
  if (context.serverId !== undefined) {
    const server = snapshot.byId.get(context.serverId);
    return server?.instructions ?? server?.manifest.description ?? '';
  }
  return (
    'This server combines the tools of several services. The part of a tool name before "__" tells you which service it belongs to. ' +
    'To use a tool that is not in your list, find it with find_tools and call it with call_read_only_tool or call_tool. ' +
    'list_my_servers says what each service wants you to know about its tools. ' +
    'If a result has isError, its text tells you what to do.'
  );
}
