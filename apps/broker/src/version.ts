/** Of the product: what /mcp/info, the MCP endpoint and openapi.json say. */
export const version = '0.1.0';
