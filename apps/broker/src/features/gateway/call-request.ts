import type {
  ClientCapabilities,
  LoggingLevel,
  LoggingMessageNotification,
  Progress,
} from '@modelcontextprotocol/server';
import type { Ask, CallOptions } from '#adapters/mcp/types.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Person } from './person.ts';

/** The cap that progress cannot move (gateway.md, Lifetimes and limits). */
export const totalTimeoutMs = 600_000;

/** One request of a client that is to be forwarded to a server. */
export type CallRequest<Params> = {
  person: Person;
  /** Names their client: what one session, or one token of a client without sessions, asks for is one client's. */
  client: string;
  params: Params;
  /** Aborted when the client cancels or hangs up. */
  signal: AbortSignal;
  onProgress: ((progress: Progress) => void) | undefined;
  /** What the client can do, where it says so with each request: undefined for the eras before 2026-07-28. */
  clientCapabilities: ClientCapabilities | undefined;
  /** Asks the person's client something for the server. */
  onAsk?: ((ask: Ask, signal: AbortSignal) => Promise<Record<string, unknown>>) | undefined;
  onLog?: ((message: LoggingMessageNotification['params']) => void) | undefined;
  logLevel?: LoggingLevel | undefined;
};

export function callOptions(request: CallRequest<unknown>, server: CatalogueServer): CallOptions {
  const { person, client, onProgress, onAsk, onLog, logLevel } = request;
  const clientCapabilities = request.clientCapabilities ?? person.capabilities;
  return {
    signal: request.signal,
    client,
    timeoutMs: server.manifest.deadlines.callMs,
    totalTimeoutMs,
    ...(onProgress && { onProgress }),
    ...(onAsk && { onAsk }),
    ...(onLog && { onLog }),
    ...(logLevel && { logLevel }),
    ...(clientCapabilities && { clientCapabilities }),
  };
}
