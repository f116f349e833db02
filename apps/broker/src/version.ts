/** The product's version, in /healthz, /mcp/info, the MCP endpoint, System, backups and openapi.json. CHANGELOG.md says what is in it. */
export const version = '1.0.0';
