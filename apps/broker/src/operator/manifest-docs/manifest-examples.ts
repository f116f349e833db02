/** An example of docs/manifests.md, which has one for each transport and each way to authenticate. A test checks them all. */
export type ManifestExample = { title: string; text: string; manifest: Record<string, unknown> };

const common = (id: string, name: string, description: string, category: 'api' | 'data' | 'productivity' = 'api') => ({
  id,
  name,
  serviceType: 'mcp',
  version: '1.0.0',
  description,
  category,
});

/** Variables with which every example passes `manifest check`. */
export const exampleEnvironment = { UPSTREAM_ALLOW_ADDRESSES: '10.0.0.5:8080,10.1.0.0/16' };

export const transportExamples: readonly ManifestExample[] = [
  {
    title: 'Streamable HTTP',
    text: 'A company server on a private address. The broker needs `UPSTREAM_ALLOW_ADDRESSES=10.0.0.5:8080` (or a network, such as `10.0.0.0/8`). With `ADMIN_MAY_ALLOW=addresses`, an administrator can add the address under Allow List instead. Such an address may use plain http, also in production. A public server needs https in production and no variable.',
    manifest: {
      ...common('inventory', 'Inventory', 'Stock and orders of the warehouse.', 'data'),
      connection: { type: 'http', url: 'http://10.0.0.5:8080/mcp' },
    },
  },
  {
    title: 'WebSocket',
    text: 'Each text frame contains one JSON-RPC message; the subprotocol is `mcp`. The address rules are those of HTTP, with wss and ws.',
    manifest: {
      ...common('sensors', 'Sensors', 'Live readings of the building.', 'data'),
      connection: { type: 'websocket', url: 'ws://10.1.2.3:9000/' },
    },
  },
  {
    title: 'stdio',
    text: "A program on the broker's machine. `command` is an alias from the allow-list (`STDIO_ALLOWLIST`), never a command line. `perUser` starts one process for each user.",
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
    title: 'A service with a rental, a price per call, and an announced price',
    text: 'Pro includes it; other users can try it for a week and then rent it for $9 a month. `search` costs 2 credits per call. `summarize` will cost 1 credit from 2040 on; until then it is free, and users are notified of the price. Prices use the tools’ names at the server: `manifest test` lists names that the server does not have.',
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
    text: 'Souk sends no credential without `auth`, or with `{ "type": "none" }`.',
    manifest: {
      ...common('weather', 'Weather', 'Forecasts for any place.', 'data'),
      connection: { type: 'http', url: 'https://weather.example.com/mcp' },
      auth: { type: 'none' },
    },
  },
  {
    title: 'A header with a secret of the operator',
    text: "The manifest never contains the value. The broker reads it from `UPSTREAM_HEADER_{SERVER}__{NAME}`, here `UPSTREAM_HEADER_TICKETS__AUTHORIZATION`, or from the file that `…_FILE` names. If neither is set, an administrator enters the value under Secrets on the server's page, or you set it with `npm run souk -- secret set tickets Authorization`, without a restart. The value is stored encrypted and sent only to this exact address; if the address changes, it must be entered again. All users share this secret. A variable is also bound to one address: the first that is deployed while the variable is set. If the address changes, confirm the new one with `npm run souk -- secret bind tickets`.",
    manifest: {
      ...common('tickets', 'Tickets', 'Search and file tickets.'),
      connection: { type: 'http', url: 'https://tickets.example.com/mcp' },
      auth: { type: 'headers', headers: [{ name: 'Authorization', from: 'operator' }] },
    },
  },
  {
    title: "A header with each user's secret",
    text: 'Each user enters their own value on the dashboard, where `description` explains it. The value is stored encrypted, and each user has their own connections.',
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
    text: "Each user signs in at the server (MCP authorization). Souk finds the authorization server and registers automatically. If the authorization server does not support registration, set `clientId`, and the secret as `UPSTREAM_CLIENT_SECRET_{SERVER}`. Souk uses that client at one authorization server only: the one that `UPSTREAM_CLIENT_ISSUER_{SERVER}` names, or the one that an administrator confirms on the server's page. Until then, sign-ins are refused. An authorization server on another site than the server, or with endpoints at other origins, must also be confirmed there, or named in the manifest with `issuer`, and `endpointOrigins` for the other origins. An authorization server on a private address needs `UPSTREAM_ALLOW_ADDRESSES`, like the server itself.",
    manifest: {
      ...common('drive', 'Drive', 'Find and read your files.', 'productivity'),
      connection: { type: 'http', url: 'https://drive.example.com/mcp' },
      isolation: 'perUser',
      auth: { type: 'oauth', clientId: 'souk', scopes: ['files.read'] },
    },
  },
];
