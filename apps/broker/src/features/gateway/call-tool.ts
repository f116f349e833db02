import {
  isInputRequiredResult,
  ProtocolError,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type Tool,
} from '@modelcontextprotocol/server';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { failureCode, failureResult, type CallFailureCode } from './call-failure.ts';
import { callOptions, type CallRequest } from './call-request.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { visibleTo, type Found } from './person.ts';
import { recordCall, type Outcome } from './record-call.ts';
import { withUpstream } from './with-upstream.ts';

/**
 * One tool call, from the name that a client knows to the answer that it gets.
 * Answers a result in every case that a model can do something about (isError with a code in _meta).
 * @throws ProtocolError -32602 for a tool that this person cannot see, whatever the reason; an upstream's own
 *   JSON-RPC error with its code, message and data
 */
export async function callTool(
  request: CallRequest<CallToolRequest['params']>,
  parts: GatewayParts,
): Promise<CallToolResult | InputRequiredResult> {
  const tool = await resolveTool(request, parts);
  const startedAtMs = parts.clock.now();
  const finish = (outcome: Outcome) =>
    recordCall(
      request.person,
      { server: tool.server, kind: 'tool', name: tool.item.name },
      outcome,
      startedAtMs,
      parts,
    );

  if (!parts.withinRate(request.person.caller)) {
    finish({ outcome: 'refused', reason: 'rate_limited' });
    return failureResult('rate_limited', tool.server.manifest.name);
  }
  try {
    const result = await dispatch(request, tool, parts);
    finish(outcomeOf(result));
    return result;
  } catch (error) {
    return failed(error, request, tool.server, finish);
  }
}

async function resolveTool(request: CallRequest<CallToolRequest['params']>, parts: GatewayParts): Promise<Found> {
  const visible = await visibleTo(request.person, parts.catalogue.snapshot(), parts.access);
  const tool = visible.tool(request.params.name);
  // One wording for unknown, switched off and not owned: whether a tool exists is nobody's business.
  if (!tool) throw new ProtocolError(-32602, `Unknown tool: ${request.params.name}`);
  return tool;
}

function dispatch(
  request: CallRequest<CallToolRequest['params']>,
  { server, item }: Found,
  parts: GatewayParts,
): Promise<CallToolResult | InputRequiredResult> {
  const params = { ...request.params, name: item.name };
  return withUpstream(server, request.person, parts, (upstream) =>
    upstream.callTool(params, {
      ...callOptions(request, server),
      // The catalogue holds what the upstream itself listed; only texts were cleaned.
      toolDefinition: item.definition as Tool,
    }),
  );
}

function outcomeOf(result: CallToolResult | InputRequiredResult): Outcome {
  if (isInputRequiredResult(result)) return { outcome: 'refused', reason: 'input_required' };
  return result.isError ? { outcome: 'error', reason: 'tool_error' } : { outcome: 'ok', reason: undefined };
}

function failed(
  error: unknown,
  request: CallRequest<unknown>,
  server: CatalogueServer,
  finish: (outcome: Outcome) => void,
): CallToolResult {
  if (!(error instanceof UpstreamError)) {
    finish({ outcome: 'failed', reason: 'unexpected' });
    throw error;
  }
  const code: CallFailureCode | undefined = request.signal.aborted ? 'cancelled' : failureCode(error);
  if (code === undefined) {
    finish({ outcome: 'error', reason: 'protocol_error' });
    throw new ProtocolError(error.code ?? -32603, error.message, error.data);
  }
  finish({ outcome: code === 'cancelled' ? 'cancelled' : 'failed', reason: code });
  return failureResult(code, server.manifest.name);
}
