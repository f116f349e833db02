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
    text: 'A server of the company on a private address. The broker needs `UPSTREAM_ALLOW_ADDRESSES=10.0.0.5:8080` (or a network, such as `10.0.0.0/8`), or an administrator adds the address under Allow List where you set `ADMIN_MAY_ALLOW=addresses`; then plain http is allowed too, also in production. A public server needs https in production and no variable.',
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

export const priceExamples: readonly ManifestExample[] = [
  {
    title: 'A service with a rental, a price for each call, and a price from a day on',
    text: 'Pro includes it; others may rent it for $9 a month, after a week that they try it. `search` costs 2 credits a call, `summarize` 1 from 2040 on: until then it is free, and people are told. Prices are by the name that the server gives a tool: `manifest test` names those that it does not offer.',
    manifest: {
      ...common('archive', 'Archive', 'Search old newspapers.', 'data'),
      connection: { type: 'http', url: 'https://archive.example.com/mcp' },
      billing: {
        tier: 'T2',
        rental: { price: 900, currency: 'USD' },
        trialDays: 7,
        toolCosts: { search: 2 },
        announcedPrices: { summarize: { credits: 1, from: '2040-01-01T00:00:00Z' } },
      },
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
    text: 'The value never stands in the manifest. The broker takes it from `UPSTREAM_HEADER_{SERVER}__{NAME}`, or from the file that `…_FILE` names: here `UPSTREAM_HEADER_TICKETS__AUTHORIZATION`. Where neither is set, an administrator enters it under Secrets on the page of the server, or you by `npm run souk -- secret set tickets Authorization`, without a restart: it is stored encrypted, and sent to exactly this address alone; with another address it is asked for again. Everyone uses the server with this secret. A variable goes to one address too: the one that is deployed first while it is set, until you name the changed one by `npm run souk -- secret bind tickets`.',
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
    text: 'Each person signs in at the server (MCP authorization). Souk finds the authorization server and registers by itself; where the server has no registration, give `clientId`, and the secret as `UPSTREAM_CLIENT_SECRET_{SERVER}`. That client is shown to one authorization server only: the one that `UPSTREAM_CLIENT_ISSUER_{SERVER}` names, else the one that an administrator confirms on the page of the server; until then nobody can sign in. An authorization server on another site than the server, or with endpoints at other origins than its own, gets nobody before an administrator has confirmed it there, or the manifest names it: `issuer`, and `endpointOrigins` for the other origins. An authorization server on a private address needs `UPSTREAM_ALLOW_ADDRESSES` as the server itself does.',
    manifest: {
      ...common('drive', 'Drive', 'Find and read your files.', 'productivity'),
      connection: { type: 'http', url: 'https://drive.example.com/mcp' },
      isolation: 'perUser',
      auth: { type: 'oauth', clientId: 'souk', scopes: ['files.read'] },
    },
  },
];
