import type { CallToolRequest, CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { estimateToolTokens } from '#features/catalogue/index.ts';
import type { CallRequest } from '../call-request.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { visibleTo } from '../person.ts';
import { listMyServers } from './list-my-servers.ts';
import type { MetaToolName } from './meta-tool-definitions.ts';
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
 * Answers one of the tools that the gateway itself offers on /mcp.
 * @param call the one use case of tool calls: what a meta-tool calls is checked, counted, held, settled and logged there
 *   as if it had been called by its own name
 */
export async function callMetaTool(
  name: MetaToolName,
  request: ToolCall,
  parts: GatewayParts,
  call: (request: ToolCall) => Promise<Answer>,
): Promise<Answer> {
  const given = request.params.arguments ?? {};
  if (name === 'list_my_servers') return listMyServers(request.person, parts);
  if (name === 'find_tools') {
    const asked = findSchema.safeParse(given);
    return asked.success ? findTools(request, asked.data, parts) : wrongArguments(asked.error);
  }
  const asked = innerSchema.safeParse(given);
  if (!asked.success) return wrongArguments(asked.error);
  if (name === 'call_read_only_tool' && !(await mayRunUnasked(request, asked.data.name, parts))) {
    return refusal('not_read_only', `${asked.data.name} is not marked as read-only. Use call_tool for it.`);
  }
  return call({
    ...request,
    params: { ...request.params, name: asked.data.name, arguments: asked.data.arguments ?? {} },
  });
}

async function findTools(
  { person }: ToolCall,
  { query, limit }: z.output<typeof findSchema>,
  parts: GatewayParts,
): Promise<CallToolResult> {
  const snapshot = parts.catalogue.snapshot();
  const seen = await parts.access(person.caller.userId);
  const isSeen: MaySee = (server, item) => seen(server)?.tools.includes(item) ?? false;
  const tools = searchTools(snapshot, query, limit, isSeen).map(({ server, item }) => ({
    name: item.exposedName,
    server: server.id,
    ...(typeof item.definition['title'] === 'string' && { title: item.definition['title'] }),
    description: item.definition['description'] ?? '',
    inputSchema: item.definition['inputSchema'],
    creditCost: item.creditCost,
    readOnly: isReadOnly(item.definition),
    estimatedTokens: estimateToolTokens(item),
    ...(server.status !== 'connected' && { status: server.status }),
  }));
  if (tools.length > 0) return structured({ tools });
  const text = 'No tool fits these words. Try others, or list_my_servers for what there is.';
  return { ...structured({ tools }), content: [{ type: 'text', text }] };
}

/** A tool that is unknown here may pass: the call answers for it, in the same words as everywhere. */
async function mayRunUnasked({ person }: ToolCall, name: string, parts: GatewayParts): Promise<boolean> {
  const visible = await visibleTo(person, parts.catalogue.snapshot(), parts.access);
  const tool = visible.tool(name);
  return !tool || isReadOnly(tool.item.definition);
}

function isReadOnly({ annotations }: Record<string, unknown>): boolean {
  return (
    typeof annotations === 'object' &&
    annotations !== null &&
    'readOnlyHint' in annotations &&
    annotations.readOnlyHint === true
  );
}

function wrongArguments(error: z.ZodError): CallToolResult {
  const [issue] = error.issues;
  return refusal('invalid_arguments', `${issue?.path.join('.') || 'arguments'}: ${issue?.message ?? 'not valid'}`);
}

/** In words that a model can act on. */
function refusal(code: string, text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true, _meta: { code } };
}

function structured(content: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content };
}
