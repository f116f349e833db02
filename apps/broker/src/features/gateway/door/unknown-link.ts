import type { FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serverIdSchema } from '@souk/contract/manifest/manifest-basics.ts';
import { sendJsonRpcError } from '../wire/json-rpc-error.ts';
import type { Door } from './door.ts';

/** Whether a request comes from an MCP client: each accepts event streams (MCP, transports) or names its version of MCP. */
export function isOfMcpClient({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE') return false;
  return (
    headers['mcp-protocol-version'] !== undefined ||
    headers.accept?.toLowerCase().includes('text/event-stream') === true
  );
}

/**
 * Answers an MCP client at an address that is not a link: users paste the link with extra text, in capitals, or with another
 * product's path. The answer names the right link, and the token's owner sees the attempt in Connections.
 */
export function sendUnknownLink(
  request: Pick<FastifyRequest, 'headers' | 'ip' | 'url' | 'body'>,
  response: ServerResponse,
  { parts: { publicUrl, catalogue }, events }: Pick<Door, 'parts' | 'events'>,
): void {
  const { headers, ip: address, body } = request;
  const [path = ''] = request.url.split('?', 1);
  const resource = publicUrl + rightPath(path, (serverId) => catalogue.snapshot().byId.has(serverId));
  events?.addressUnknown({ headers, address, resource }, publicUrl + path);
  const message = `Unknown server: no MCP server is at this address. The link is ${resource}`;
  sendJsonRpcError(response, 404, -32001, message, body);
}

/** The link of the service that the address names, otherwise the all-servers link. */
function rightPath(path: string, isServer: (serverId: string) => boolean): string {
  const words = path.split('/', 16).filter((word) => word !== '');
  const named = words[words.indexOf('s') + 1]?.toLowerCase() ?? '';
  const isNamed = words.includes('s') && serverIdSchema.safeParse(named).success && isServer(named);
  return isNamed ? `/s/${named}/mcp` : '/mcp';
}
