import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type ClientCapabilities,
  type LoggingLevel,
  type Progress,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { logLevels, type Ask } from '#adapters/mcp/upstream.ts';
import { totalTimeoutMs, type CallRequest } from '../call/call-request.ts';
import type { RequestContext } from '../view/request-context.ts';
import type { ClientInfo } from './failing-clients.ts';
import { extraOfMessage } from './request-extra.ts';
import { whileHeard } from './while-heard.ts';
import { usableCapabilities } from './usable-capabilities.ts';

type Params = { _meta?: Record<string, unknown> | undefined };

/** Builds the forwarded request. @param ofSession the capabilities that the client of a legacy session declared */
export function forwardRequest<P extends Params>(
  context: RequestContext,
  params: P,
  sdk: ServerContext,
  ofSession: ClientCapabilities | undefined,
  { questionPatienceMs }: { questionPatienceMs: number },
): CallRequest<P> {
  const { mcpReq } = sdk;
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  const ofRequest = capabilitiesInEnvelope(sdk);
  // why the cast: its shape was checked when the request came in
  const logLevel = envelope[LOG_LEVEL_META_KEY] as LoggingLevel | undefined;
  // the token belongs to this hop; the adapter makes its own for the next
  const { progressToken, ...meta } = params._meta ?? {};
  const token = mcpReq._meta?.progressToken ?? progressToken;
  const onProgress = (progress: Progress) => {
    // a client that hung up cannot be told; its signal ends the call
    mcpReq.notify({ method: 'notifications/progress', params: { ...progress, progressToken: token } }).catch(() => {});
  };
  const state = mcpReq.requestState<string>();
  const extra = extraOfMessage(sdk);
  return {
    logical: extra.nextCall(),
    context: {
      ...context,
      request: extra.context.request,
      capabilities: ofRequest ?? withFormMode(ofSession),
      clientInfo: clientInfoOf(sdk),
    },
    params: {
      ...params,
      _meta: meta,
      ...(mcpReq.inputResponses && { inputResponses: mcpReq.inputResponses }),
      ...(state !== undefined && { requestState: state }),
    },
    client: `${context.caller.tokenId}/${sdk.sessionId ?? ''}`,
    signal: mcpReq.signal,
    onProgress: token === undefined ? undefined : onProgress,
    clientCapabilities: ofRequest,
    logLevel: logLevel ?? context.logLevel,
    listening: () => extra.listening(mcpReq.id),
    // the SDK applies the level of a request; the level of a session is applied here
    onLog({ level, data, logger }) {
      if (isAtLeast(level, context.logLevel)) void mcpReq.log(level, data, logger).catch(() => {});
    },
    onAsk: ofRequest
      ? undefined
      : (ask, signal) =>
          whileHeard(
            (withdrawn) => askSession(sdk, ask, withdrawn),
            signal,
            () => extra.listening(mcpReq.id) !== 'gone',
            questionPatienceMs,
          ),
  };
}

/** The usable capabilities that a client declared with this request (2026-07-28) or when it opened its session. */
export function clientCapabilities(
  sdk: ServerContext,
  ofSession: ClientCapabilities | undefined,
): ClientCapabilities | undefined {
  return capabilitiesInEnvelope(sdk) ?? withFormMode(ofSession);
}

function capabilitiesInEnvelope({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  // why the casts: their shapes were checked when the request came in
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return usableCapabilities(
    declared,
    envelope[CLIENT_INFO_META_KEY] as ClientInfo | undefined,
    String(envelope[PROTOCOL_VERSION_META_KEY]),
  );
}

function clientInfoOf({ mcpReq }: ServerContext): ClientInfo | undefined {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  return envelope[CLIENT_INFO_META_KEY] as ClientInfo | undefined;
}

function isAtLeast(level: LoggingLevel, threshold: LoggingLevel | undefined): boolean {
  return threshold === undefined || logLevels.indexOf(level) >= logLevels.indexOf(threshold);
}

/** Sends a question to a client up to 2025-11-25, on the stream of the call that caused it. */
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

/** Names the mode in `elicitation: {}`, which meant forms before modes existed: a modern server needs it named. */
export function withFormMode(capabilities: ClientCapabilities | undefined): ClientCapabilities | undefined {
  const elicitation = capabilities?.elicitation;
  if (!elicitation || elicitation.form || elicitation.url) return capabilities;
  return { ...capabilities, elicitation: { form: {} } };
}
