import type { ClientCapabilities, LoggingLevel } from '@modelcontextprotocol/server';
import type { CatalogueItem } from '#features/catalogue/index.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { McpRequest } from '../gateway-events.ts';

export type RequestContext = {
  caller: Caller;
  /** Set on /s/{serverId}/mcp, which offers only this server, with its own names. */
  serverId: string | undefined;
  /** The client's capabilities, once known. Servers up to 2025-11-25 get them in the handshake. */
  capabilities?: ClientCapabilities | undefined;
  /** The name and version that the client gave, unverified; undefined until known. */
  clientInfo?: { name: string; version: string } | undefined;
  /** The lowest level of log messages that the client wants in its session, if it set one (up to 2025-11-25). */
  logLevel?: LoggingLevel | undefined;
  saveLogLevel?: ((level: LoggingLevel) => Promise<void>) | undefined;
  /** The request that is being served, for listeners. The context of a session has none. */
  request?: McpRequest | undefined;
};

/** The name of an item on the link of this request. */
export function shownName(context: RequestContext, item: CatalogueItem): string {
  return context.serverId === undefined ? item.exposedName : item.name;
}
