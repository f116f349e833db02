import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  type ClientCapabilities,
  type LoggingLevel,
  type Progress,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { logLevels } from '#adapters/mcp/log-level.ts';
import type { Ask } from '#adapters/mcp/types.ts';
import { totalTimeoutMs, type CallRequest } from './call-request.ts';
import type { Person } from './person.ts';

type Params = { _meta?: Record<string, unknown> | undefined };

/**
 * A client's request in the form in which it is forwarded.
 * @param ofSession what the client of a legacy session said of itself when it opened it
 */
export function forwardRequest<P extends Params>(
  person: Person,
  params: P,
  context: ServerContext,
  ofSession: ClientCapabilities | undefined,
): CallRequest<P> {
  const { mcpReq } = context;
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  // Their shapes were checked when the request came in.
  const ofRequest = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const ofEnvelope = envelope[LOG_LEVEL_META_KEY] as LoggingLevel | undefined;
  // The token names this hop's progress; the adapter makes one of its own for the next.
  const { progressToken, ...meta } = params._meta ?? {};
  const token = mcpReq._meta?.progressToken ?? progressToken;
  const onProgress = (progress: Progress) => {
    // A client that is gone cannot be told; that ends the call by its signal.
    mcpReq.notify({ method: 'notifications/progress', params: { ...progress, progressToken: token } }).catch(() => {});
  };
  const state = mcpReq.requestState<string>();
  return {
    person: { ...person, capabilities: ofRequest ?? withFormMode(ofSession) },
    params: {
      ...params,
      _meta: meta,
      ...(mcpReq.inputResponses && { inputResponses: mcpReq.inputResponses }),
      ...(state !== undefined && { requestState: state }),
    },
    client: `${person.caller.tokenId}/${context.sessionId ?? ''}`,
    signal: mcpReq.signal,
    onProgress: token === undefined ? undefined : onProgress,
    clientCapabilities: ofRequest,
    logLevel: ofEnvelope ?? person.logLevel,
    // the SDK keeps to the level that a request names; the one of a session is ours to keep
    onLog({ level, data, logger }) {
      if (isAtLeast(level, person.logLevel)) void mcpReq.log(level, data, logger).catch(() => {});
    },
    onAsk: ofRequest ? undefined : (ask, signal) => askSession(context, ask, signal),
  };
}

function isAtLeast(level: LoggingLevel, threshold: LoggingLevel | undefined): boolean {
  return threshold === undefined || logLevels.indexOf(level) >= logLevels.indexOf(threshold);
}

/** Up to 2025-11-25 a question goes to the client on the stream of the call that caused it. */
async function askSession(
  { mcpReq }: ServerContext,
  { method, params }: Ask,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const answer = await mcpReq.send(
    { method, params },
    { signal: AbortSignal.any([signal, mcpReq.signal]), timeout: totalTimeoutMs },
  );
  return { ...answer };
}

/** Before there were modes `elicitation: {}` meant forms; a modern server wants it said. */
export function withFormMode(capabilities: ClientCapabilities | undefined): ClientCapabilities | undefined {
  const elicitation = capabilities?.elicitation;
  if (!elicitation || elicitation.form || elicitation.url) return capabilities;
  return { ...capabilities, elicitation: { form: {} } };
}
