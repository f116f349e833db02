/** A complete manifest to start from: an HTTP server, free for every signed-in user. */
export const manifestTemplate = `${JSON.stringify(
  {
    id: 'my-server',
    name: 'My Server',
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'What people can do with it, in one sentence.',
    category: 'api',
    connection: { type: 'http', url: 'https://mcp.example.com/mcp' },
    billing: { tier: 'T0' },
  },
  null,
  2,
)}\n`;
