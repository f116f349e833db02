import type {
  ClientCapabilities,
  LoggingLevel,
  LoggingMessageNotification,
  Progress,
} from '@modelcontextprotocol/server';
import type { Ask, CallerSignal, CallOptions, Listening } from '#adapters/mcp/upstream.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { CallTrace } from '#platform/telemetry/tracing.ts';
import type { RequestContext } from '../view/request-context.ts';
import type { LogicalCall } from './call.ts';

/** Total limit, which progress does not extend. */
export const totalTimeoutMs = 600_000;

export type CallRequest<Params> = {
  logical: LogicalCall;
  context: RequestContext;
  /** Identifies the client by its session, or by its token if it has no session. */
  client: string;
  params: Params;
  signal: AbortSignal;
  onProgress: ((progress: Progress) => void) | undefined;
  listening(): Listening;
  /** The client's capabilities, which it sends with each request; undefined before 2026-07-28. */
  clientCapabilities: ClientCapabilities | undefined;
  onAsk?: ((ask: Ask, signal: AbortSignal) => Promise<Record<string, unknown>>) | undefined;
  onLog?: ((message: LoggingMessageNotification['params']) => void) | undefined;
  logLevel?: LoggingLevel | undefined;
};

/** The `_meta` that the server gets instead of the client's, if the call is traced. */
export function traced(
  { _meta }: { _meta?: Record<string, unknown> | undefined },
  trace: CallTrace | undefined,
): { _meta?: Record<string, unknown> } {
  return trace ? { _meta: trace.carry(_meta) } : {};
}

/** @param signal the request's own, or one that aborts with it */
export function callOptions(request: CallRequest<unknown>, server: CatalogueServer, signal: CallerSignal): CallOptions {
  const { context, client, onProgress, onAsk, onLog, logLevel } = request;
  return {
    signal,
    client,
    timeoutMs: server.manifest.deadlines.callMs,
    totalTimeoutMs,
    onProgress,
    onAsk,
    onLog,
    listening: () => request.listening(),
    logLevel,
    clientCapabilities: request.clientCapabilities ?? context.capabilities,
  };
}
