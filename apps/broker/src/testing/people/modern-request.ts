/**
 * Builds what a client of 2026-07-28 posts: the headers that belong to its message, and the message.
 * @param params their `_meta`, if any, may contain a progress token or the client's capabilities
 */
export function modernRequest(
  token: string,
  method: string,
  params: Record<string, unknown> = {},
): { method: 'POST'; headers: Record<string, string>; body: string } {
  const name = params['name'] ?? params['uri'];
  const meta = { ...modernMeta, ...Object(params['_meta'] ?? {}) };
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
  return {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify(message),
  };
}

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
