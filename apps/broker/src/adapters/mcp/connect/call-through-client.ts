import { CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY, type Client } from '@modelcontextprotocol/client';
import { answerOf } from '../fast/read-answer.ts';
import type { CallOptions, Era, ToolAnswer, ToolCallOptions, ToolParams } from '../upstream.ts';
import { withRefusalText } from '../wire/translate-error.ts';
import type { ClientRequests } from './client-requests.ts';

/** Calls a tool through the SDK's client. @throws UpstreamError */
export async function callThroughClient(
  client: Client,
  { run }: Pick<ClientRequests, 'run'>,
  era: Era,
  params: ToolParams,
  call: ToolCallOptions,
): Promise<ToolAnswer> {
  // Always passed: without a definition the SDK looks the tool up in its own list. The output schema is removed:
  // with it the SDK requires structured content even of an input_required answer.
  const { outputSchema: _, ...toolDefinition } = call.toolDefinition ?? {
    name: params.name,
    inputSchema: { type: 'object' as const },
  };
  const sent = withEnvelope(params, era, call);
  try {
    const result = await run(call, (request) =>
      client.callTool(sent, { ...request, allowInputRequired: true, toolDefinition }),
    );
    return answerOf(result, call);
  } catch (error) {
    throw withRefusalText(error);
  }
}

/**
 * Adds the client's capabilities and log level to a request on a modern upstream connection, so that the server answers
 * -32021 only when the client lacks the capability (trap 5).
 */
export function withEnvelope<Params extends { _meta?: Record<string, unknown> | undefined }>(
  params: Params,
  era: Era,
  { clientCapabilities, logLevel }: CallOptions,
): Params {
  if (era !== 'modern' || (!clientCapabilities && !logLevel)) return params;
  const { _meta: meta } = params;
  return {
    ...params,
    _meta: {
      ...meta,
      ...(clientCapabilities && { [CLIENT_CAPABILITIES_META_KEY]: clientCapabilities }),
      ...(logLevel && { [LOG_LEVEL_META_KEY]: logLevel }),
    },
  };
}
