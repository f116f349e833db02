import type { FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serverIdSchema } from '@souk/contract/manifest/manifest-basics.ts';
import type { GatewayEvents } from '../gateway-events.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { sendJsonRpcError } from '../wire/json-rpc-error.ts';

export type UnknownLinkOptions = {
  publicUrl: string;
  parts: Pick<GatewayParts, 'catalogue'>;
  events: GatewayEvents | undefined;
};

/** Whether an MCP client asks: each accepts event streams (MCP, transports) or names its version of MCP. */
export function isOfMcpClient({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE') return false;
  return (
    headers['mcp-protocol-version'] !== undefined ||
    headers.accept?.toLowerCase().includes('text/event-stream') === true
  );
}

/**
 * Answers an MCP client at an address that is no link: people paste it with something before or behind it, in capitals, or
 * with the ending of another product. The answer names the right one, and whose token it carried sees it in Connections.
 */
export function sendUnknownLink(
  request: Pick<FastifyRequest, 'headers' | 'ip' | 'url' | 'body'>,
  response: ServerResponse,
  { publicUrl, parts, events }: UnknownLinkOptions,
): void {
  const { headers, ip: address, body } = request;
  const [path = ''] = request.url.split('?', 1);
  const resource = publicUrl + rightPath(path, (serverId) => parts.catalogue.snapshot().byId.has(serverId));
  events?.addressUnknown({ headers, address, resource }, publicUrl + path);
  sendJsonRpcError(
    response,
    404,
    -32001,
    `Unknown server: no MCP server is at this address. The link is ${resource}`,
    body,
  );
}

/** The link of the service that the address names, else the link of all. */
function rightPath(path: string, isServer: (serverId: string) => boolean): string {
  const words = path.split('/', 16).filter((word) => word !== '');
  const named = words[words.indexOf('s') + 1]?.toLowerCase() ?? '';
  const isNamed = words.includes('s') && serverIdSchema.safeParse(named).success && isServer(named);
  return isNamed ? `/s/${named}/mcp` : '/mcp';
}
