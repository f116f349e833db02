/** The product's version, in /mcp/info, the MCP endpoint and openapi.json. */
export const version = '0.1.0';
