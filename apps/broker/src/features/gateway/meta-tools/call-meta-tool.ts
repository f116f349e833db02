import type { CallToolRequest, CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { BuiltInTool } from '@souk/contract/built-in-tools.ts';
import { issueText } from '@souk/contract/manifest/issue-text.ts';
import { z } from 'zod';
import { estimateToolTokens } from '#features/catalogue/index.ts';
import { asRecord } from '#platform/json.ts';
import type { CallRequest } from '../call/call-request.ts';
import { failedResult, structuredResult } from '../call/own-results.ts';
import { presentAsResult } from '../call/present-failure.ts';
import { runBuiltIn } from '../call/run-call.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { announcePrice } from '../view/announce-price.ts';
import { isListed } from '../view/is-listed.ts';
import type { RequestContext } from '../view/request-context.ts';
import { visibleTo } from '../view/visible.ts';
import { listMyServers } from './list-my-servers.ts';
import { myBalance } from './my-balance.ts';
import { searchTools, type MaySee } from './search-tools.ts';

type ToolCall = CallRequest<CallToolRequest['params']>;
type Answer = CallToolResult | InputRequiredResult;

const findSchema = z.object({
  query: z.string().trim().min(1).max(500),
  limit: z.int().min(1).max(50).default(10),
});
const innerSchema = z.object({
  name: z.string().min(1).max(256),
  arguments: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Answers one of the gateway's own tools on /mcp.
 * @param call runs a tool call. A tool that is called through a meta-tool is checked, counted, charged and recorded once,
 *   as if the client had called it by its own name
 */
export async function callMetaTool(
  name: BuiltInTool,
  request: ToolCall,
  parts: GatewayParts,
  call: (request: ToolCall) => Promise<Answer>,
): Promise<Answer> {
  const given = request.params.arguments ?? {};
  const { context } = request;
  switch (name) {
    case 'list_my_servers':
      return answerBuiltIn(name, request, parts, () => listMyServers(context, parts));
    case 'my_balance':
      return answerBuiltIn(name, request, parts, () => myBalance(context, parts));
    case 'find_tools': {
      const asked = findSchema.safeParse(given);
      return answerBuiltIn(name, request, parts, async () =>
        asked.success ? findTools(context, asked.data, parts) : wrongArguments(asked.error),
      );
    }
    case 'call_tool':
    case 'call_read_only_tool': {
      const asked = innerSchema.safeParse(given);
      if (!asked.success) return answerBuiltIn(name, request, parts, async () => wrongArguments(asked.error));
      const inner = asked.data;
      if (name === 'call_read_only_tool' && !(await mayRunAsReadOnly(context, inner.name, parts))) {
        const text = `${inner.name} is not marked as read-only. Use call_tool for it.`;
        return answerBuiltIn(name, request, parts, async () => failedResult(text, { code: 'not_read_only' }));
      }
      const params = { ...request.params, name: inner.name, arguments: inner.arguments ?? {} };
      return call({ ...request, params });
    }
  }
}

/** Runs a built-in tool, with the rate limit and usage row of every call. */
async function answerBuiltIn(
  name: BuiltInTool,
  request: ToolCall,
  parts: GatewayParts,
  answer: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const end = await runBuiltIn({ ...request, kind: 'tool', meta: request.params._meta, name }, parts, async () => {
    const result = await answer();
    return { kind: result.isError ? ('tool_error' as const) : ('complete' as const), result };
  });
  return end.kind === 'answered' ? end.answer.result : presentAsResult(end, parts);
}

async function findTools(
  { caller, capabilities }: RequestContext,
  { query, limit }: z.output<typeof findSchema>,
  parts: GatewayParts,
): Promise<CallToolResult> {
  const snapshot = parts.catalogue.snapshot();
  const seen = await parts.view(caller.userId);
  // the user sees a server of the catalogue unchanged, or one with their personal tools in its place
  const isSeen: MaySee = (server, item) =>
    (own.has(server) || (seen.part(server)?.tools.includes(item) ?? false)) && isListed(capabilities, item);
  const own = new Set(
    snapshot.servers.flatMap((server) => {
      const part = seen.part(server);
      return part === undefined || part === server ? [] : [part];
    }),
  );
  const tools = searchTools(snapshot, [...own], query, limit, isSeen).map(({ server, item }) => ({
    name: item.exposedName,
    server: server.id,
    ...(typeof item.definition['title'] === 'string' && { title: item.definition['title'] }),
    description: announcePrice(item, item.definition)['description'] ?? '',
    inputSchema: item.definition['inputSchema'],
    creditCost: item.creditCost,
    readOnly: isReadOnly(item.definition),
    estimatedTokens: estimateToolTokens(item),
    ...(server.status !== 'connected' && { status: server.status }),
  }));
  const result = structuredResult({ tools });
  if (tools.length > 0) return result;
  const text = 'No tool matches these words. Try other words, or call list_my_servers to see your servers.';
  return { ...result, content: [{ type: 'text', text }] };
}

/** Whether call_read_only_tool may run a tool. Lets an unknown tool pass: the call itself then returns the usual error. */
async function mayRunAsReadOnly(context: RequestContext, name: string, parts: GatewayParts): Promise<boolean> {
  const visible = await visibleTo(context, parts.catalogue.snapshot(), parts.view);
  const tool = visible.tool(name);
  return !tool || isReadOnly(tool.item.definition);
}

function isReadOnly({ annotations }: Record<string, unknown>): boolean {
  return asRecord(annotations)?.['readOnlyHint'] === true;
}

function wrongArguments(error: z.ZodError): CallToolResult {
  const [issue] = error.issues;
  const text = `${issue?.path.join('.') || 'arguments'}: ${issue ? issueText(issue) : 'not valid'}`;
  return failedResult(text, { code: 'invalid_arguments' });
}
