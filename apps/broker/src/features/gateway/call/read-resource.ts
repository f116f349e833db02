import {
  isInputRequiredResult,
  ProtocolError,
  type InputRequiredResult,
  type ReadResourceRequest,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { GatewayParts } from '../gateway-parts.ts';
import { callOptions, traced, type CallRequest } from './call-request.ts';
import type { NoAnswer } from './outcome.ts';
import { presentAsError } from './present-failure.ts';
import { resolveResource } from './resolve-target.ts';
import { runCall } from './run-call.ts';

/**
 * Reads one resource, with the same steps as a tool call. A failure is a JSON-RPC error.
 * @throws ProtocolError -32002 or -32602, by the client's era, for a URI that matches no server that this user can see;
 *   as presentAsError does
 */
export async function readResource(
  request: CallRequest<ReadResourceRequest['params']>,
  parts: GatewayParts,
): Promise<ReadResourceResult | InputRequiredResult> {
  const { params, context } = request;
  const target = await resolveResource(context, params.uri, parts);
  const call = { ...request, kind: 'resource' as const, meta: params._meta, resolve: () => target };
  const end = await runCall(call, parts, async (upstream, { server, name }, signal, trace) => {
    const asked = { ...params, ...traced(params, trace), uri: name };
    const result = await upstream.readResource(asked, callOptions(request, server, signal));
    return { kind: isInputRequiredResult(result) ? 'input_required' : 'complete', result };
  });
  if (end.kind !== 'answered') throw isNotFound(end) ? notFound(request) : presentAsError(end, 'resource', parts);
  const { result } = end.answer;
  if (isInputRequiredResult(result) || target.kind !== 'found') return result;
  return { ...result, contents: result.contents.map((part) => ({ ...part, uri: target.expose(part.uri) })) };
}

/** Recognises the codes of both eras and of older servers. The client gets the code of its own era. */
function isNotFound(end: NoAnswer): boolean {
  if (end.kind === 'failure') return end.code === 'unknown';
  if (end.kind !== 'protocol_error') return false;
  const { code, message } = end.error;
  return code === -32002 || (code === -32602 && /not found|unknown resource/i.test(message));
}

function notFound({ params: { uri }, clientCapabilities }: CallRequest<{ uri: string }>): ProtocolError {
  const code = clientCapabilities ? -32602 : -32002;
  return new ProtocolError(code, `Resource not found: ${uri}`, { uri });
}
