import {
  isInputRequiredResult,
  type GetPromptRequest,
  type GetPromptResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import type { GatewayParts } from '../gateway-parts.ts';
import { linkExposer } from '../view/expose-links.ts';
import { callOptions, traced, type CallRequest } from './call-request.ts';
import { presentAsError } from './present-failure.ts';
import { resolvePrompt } from './resolve-target.ts';
import { runCall } from './run-call.ts';

/**
 * Gets one prompt, with the same steps as a tool call. A failure is a JSON-RPC error.
 * @throws ProtocolError -32602 for a prompt that this user cannot see; as presentAsError does
 */
export async function getPrompt(
  request: CallRequest<GetPromptRequest['params']>,
  parts: GatewayParts,
): Promise<GetPromptResult | InputRequiredResult> {
  const { params, context } = request;
  const call = {
    ...request,
    kind: 'prompt' as const,
    meta: params._meta,
    resolve: () => resolvePrompt(context, params.name, parts),
  };
  const end = await runCall(call, parts, async (upstream, { server, name }, signal, trace) => {
    const asked = { ...params, ...traced(params, trace), name };
    const result = await upstream.getPrompt(asked, callOptions(request, server, signal));
    if (isInputRequiredResult(result)) return { kind: 'input_required', result };
    if (context.serverId !== undefined) return { kind: 'complete', result };
    const expose = linkExposer(server);
    const messages = result.messages.map((message) => ({ ...message, content: expose(message.content) }));
    return { kind: 'complete', result: { ...result, messages } };
  });
  if (end.kind !== 'answered') throw presentAsError(end, 'prompt', parts);
  return end.answer.result;
}
