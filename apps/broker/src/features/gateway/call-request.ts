import type { ClientCapabilities, Progress } from '@modelcontextprotocol/server';
import type { CallOptions } from '#adapters/mcp/types.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Person } from './person.ts';

/** The cap that progress cannot move (gateway.md, Lifetimes and limits). */
export const totalTimeoutMs = 600_000;

/** One request of a client that is to be forwarded to a server. */
export type CallRequest<Params> = {
  person: Person;
  params: Params;
  /** Aborted when the client cancels or hangs up. */
  signal: AbortSignal;
  onProgress: ((progress: Progress) => void) | undefined;
  /** What the client can do, where it says so with each request. */
  clientCapabilities: ClientCapabilities | undefined;
};

export function callOptions(request: CallRequest<unknown>, server: CatalogueServer): CallOptions {
  return {
    signal: request.signal,
    timeoutMs: server.manifest.deadlines.callMs,
    totalTimeoutMs,
    ...(request.onProgress && { onProgress: request.onProgress }),
    ...(request.clientCapabilities && { clientCapabilities: request.clientCapabilities }),
  };
}
