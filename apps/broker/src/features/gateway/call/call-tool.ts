import type { CallToolRequest, CallToolResult, InputRequiredResult, Tool } from '@modelcontextprotocol/server';
import type { GatewayParts } from '../gateway-parts.ts';
import { exposeLinks } from '../view/expose-links.ts';
import { callOptions, traced, type CallRequest } from './call-request.ts';
import { presentToolEnd } from './present-failure.ts';
import { resolveTool } from './resolve-target.ts';
import { runCall } from './run-call.ts';
import { validated } from './validated-result.ts';

/** Runs one tool call that came in through the SDK's server. @throws ProtocolError as presentToolEnd does */
export async function callTool(
  request: CallRequest<CallToolRequest['params']>,
  parts: GatewayParts,
): Promise<CallToolResult | InputRequiredResult> {
  const { params, context } = request;
  const call = {
    ...request,
    kind: 'tool' as const,
    meta: params._meta,
    resolve: () => resolveTool(context, params.name, parts),
  };
  const end = await runCall(call, parts, (upstream, target, signal, trace) => {
    const { server, name, tool } = target;
    const options = {
      ...callOptions(request, server, signal),
      expose: (result: CallToolResult) => exposeLinks(context, server, result),
      // why the cast: the catalogue stores the definition that the upstream listed; only its texts were cleaned
      ...(tool && { toolDefinition: tool.definition as Tool, resultTypes: tool.resultTypes }),
    };
    return validated(upstream.callTool({ ...params, ...traced(params, trace), name }, options), target, parts);
  });
  return presentToolEnd(end, parts);
}
