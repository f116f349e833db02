/** The examples of docs/manifests.md: one for each transport and each way to authenticate. A test checks each of them. */
export type ManifestExample = { title: string; text: string; manifest: Record<string, unknown> };

const common = (id: string, name: string, description: string, category: 'api' | 'data' | 'productivity' = 'api') => ({
  id,
  name,
  serviceType: 'mcp',
  version: '1.0.0',
  description,
  category,
});

/** Variables of the broker under which every example passes `manifest check`. */
export const exampleEnvironment = { UPSTREAM_ALLOW_ADDRESSES: '10.0.0.5:8080,10.1.0.0/16' };

export const transportExamples: readonly ManifestExample[] = [
  {
    title: 'Streamable HTTP',
    text: 'A server of the company on a private address. The broker needs `UPSTREAM_ALLOW_ADDRESSES=10.0.0.5:8080` (or a network, such as `10.0.0.0/8`); then plain http is allowed too, also in production. A public server needs https in production and no variable.',
    manifest: {
      ...common('inventory', 'Inventory', 'Stock and orders of the warehouse.', 'data'),
      connection: { type: 'http', url: 'http://10.0.0.5:8080/mcp' },
    },
  },
  {
    title: 'WebSocket',
    text: 'One JSON-RPC message in each text frame, subprotocol `mcp`. The address rules are those of HTTP, with wss and ws.',
    manifest: {
      ...common('sensors', 'Sensors', 'Live readings of the building.', 'data'),
      connection: { type: 'websocket', url: 'ws://10.1.2.3:9000/' },
    },
  },
  {
    title: 'stdio',
    text: 'A program on the machine of the broker. `command` is an alias of the allow-list (`STDIO_ALLOWLIST`), never a command line. `perUser` starts one process for each person.',
    manifest: {
      ...common('notebook', 'Notebook', 'A knowledge graph of your own.', 'productivity'),
      connection: { type: 'stdio', command: 'memory' },
      isolation: 'perUser',
    },
  },
  {
    title: 'A service that Souk starts itself',
    text: 'The demo services travel, calendar and notes; production does not start them.',
    manifest: {
      ...common('journeys', 'Journeys', 'Airports, distances and itineraries.', 'data'),
      connection: { type: 'http', url: 'service:travel' },
    },
  },
];

export const authenticationExamples: readonly ManifestExample[] = [
  {
    title: 'None',
    text: 'Without `auth`, or with `{ "type": "none" }`, Souk sends no credential.',
    manifest: {
      ...common('weather', 'Weather', 'Forecasts for any place.', 'data'),
      connection: { type: 'http', url: 'https://weather.example.com/mcp' },
      auth: { type: 'none' },
    },
  },
  {
    title: 'A header with a secret of the operator',
    text: 'The value never stands in the manifest. The broker takes it from `UPSTREAM_HEADER_{SERVER}__{NAME}`, or from the file that `…_FILE` names: here `UPSTREAM_HEADER_TICKETS__AUTHORIZATION`. Everyone uses the server with this secret.',
    manifest: {
      ...common('tickets', 'Tickets', 'Search and file tickets.'),
      connection: { type: 'http', url: 'https://tickets.example.com/mcp' },
      auth: { type: 'headers', headers: [{ name: 'Authorization', from: 'operator' }] },
    },
  },
  {
    title: "A header with each person's secret",
    text: 'Each person enters their own value on the dashboard, where `description` tells them what it is. It is stored encrypted, and each person has connections of their own.',
    manifest: {
      ...common('wiki', 'Wiki', 'Search and edit the wiki.', 'productivity'),
      connection: { type: 'http', url: 'https://wiki.example.com/mcp' },
      auth: {
        type: 'headers',
        headers: [{ name: 'X-Api-Key', from: 'user', description: 'Your API key: Wiki, Settings, API keys' }],
      },
    },
  },
  {
    title: 'OAuth',
    text: 'Each person signs in at the server (MCP authorization). Souk finds the authorization server and registers by itself; where the server has no registration, give `clientId`, and the secret as `UPSTREAM_CLIENT_SECRET_{SERVER}`. That client is shown to one authorization server only: the one that `UPSTREAM_CLIENT_ISSUER_{SERVER}` names, else the one that an administrator confirms on the page of the server; until then nobody can sign in. An authorization server on a private address needs `UPSTREAM_ALLOW_ADDRESSES` as the server itself does.',
    manifest: {
      ...common('drive', 'Drive', 'Find and read your files.', 'productivity'),
      connection: { type: 'http', url: 'https://drive.example.com/mcp' },
      isolation: 'perUser',
      auth: { type: 'oauth', clientId: 'souk', scopes: ['files.read'] },
    },
  },
];
