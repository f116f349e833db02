/**
 * Documents as registries publish them for servers at an address, in several schemas. All names and texts are invented.
 */
const latest = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

export const publishedRemotes: Readonly<Record<string, Record<string, unknown>>> = {
  'a remote without anything': {
    $schema: latest,
    name: 'example.harbour/tides',
    description: 'High and low water of every harbour.',
    version: '1.4.0',
    remotes: [{ type: 'streamable-http', url: 'https://mcp.harbour.example/mcp' }],
  },
  'a remote with title, icons and a page': {
    $schema: latest,
    name: 'example.orchard/apples',
    title: 'Apple Orchard',
    description: 'Which apple is ripe where.',
    version: '2.0.1',
    websiteUrl: 'https://orchard.example/docs',
    icons: [
      { src: 'https://orchard.example/mark.svg', mimeType: 'image/svg+xml', sizes: ['any'] },
      { src: 'https://orchard.example/mark.png', mimeType: 'image/png', sizes: ['96x96'], theme: 'light' },
    ],
    remotes: [{ type: 'streamable-http', url: 'https://orchard.example/mcp' }],
  },
  'a secret header with a fixed form': {
    $schema: latest,
    name: 'example.ledgerline/books',
    description: 'Bookings and balances.',
    version: '0.9.2',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://api.ledgerline.example/mcp',
        headers: [
          {
            name: 'Authorization',
            description: 'A key of your workspace',
            value: 'Bearer {workspace_key}',
            isRequired: true,
            variables: { workspace_key: { description: 'Under Settings, Keys', isRequired: true, isSecret: true } },
          },
        ],
      },
    ],
  },
  'a secret header without a form': {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json',
    name: 'example.pigeon/post',
    description: 'Letters by pigeon.',
    version: '3.1.0',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://post.pigeon.example/v1/mcp',
        headers: [{ name: 'X-Pigeon-Key', description: 'Your ring number', isRequired: true, isSecret: true }],
      },
    ],
  },
  'optional headers, one of them a secret': {
    $schema: latest,
    name: 'example.quarry/stones',
    description: 'Stones by colour and hardness.',
    version: '1.0.0',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://quarry.example/mcp',
        headers: [
          { name: 'X-Quarry-Key', description: 'Raises the limits', isSecret: true },
          { name: 'X-Region', description: 'north or south', default: 'north', choices: ['north', 'south'] },
        ],
      },
    ],
  },
  'headers whose secret values stand in the document': {
    $schema: latest,
    name: 'example.turnpike/tolls',
    description: 'What each bridge costs.',
    version: '1.0.0',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://turnpike.example/mcp',
        headers: [
          { name: 'X-Toll', isSecret: true, value: 'canary-of-a-document' },
          { name: 'X-Api-Key', value: 'canary-of-a-document' },
        ],
      },
    ],
  },
  'a header whose value everyone knows': {
    $schema: latest,
    name: 'example.signal/lamps',
    description: 'Traffic lamps.',
    version: '1.1.0',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://lamps.signal.example/mcp',
        headers: [{ name: 'X-Client-Kind', value: 'registry', isRequired: true }],
      },
    ],
  },
  'a variable of the address with a default': {
    $schema: latest,
    name: 'example.meadow/herbs',
    description: 'Herbs and what they cure.',
    version: '1.2.3',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{region}.meadow.example/mcp',
        variables: { region: { description: 'Where the data stays', default: 'eu', choices: ['eu', 'us'] } },
      },
    ],
  },
  'a variable of the address without a default': {
    $schema: latest,
    name: 'example.tenants/houses',
    description: 'Houses and their tenants.',
    version: '5.0.0',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{tenant}.tenants.example/mcp',
        variables: { tenant: { description: 'The name of your workspace', isRequired: true } },
      },
    ],
  },
  'an address that begins with a variable': {
    $schema: latest,
    name: 'example.selfhost/wiki',
    description: 'A wiki that you run.',
    version: '0.3.0',
    remotes: [{ type: 'streamable-http', url: '{base_url}/mcp', variables: { base_url: { isRequired: true } } }],
  },
  'a secret variable of the address': {
    $schema: latest,
    name: 'example.keyhole/doors',
    description: 'Doors and keys.',
    version: '1.0.4',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://keyhole.example/{access_key}/mcp',
        variables: { access_key: { isRequired: true, isSecret: true } },
      },
    ],
  },
  'an address of the older transport alone': {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json',
    name: 'example.steam/engines',
    description: 'Steam engines.',
    version: '0.1.0',
    remotes: [{ type: 'sse', url: 'https://engines.steam.example/sse' }],
  },
  'both transports': {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json',
    name: 'example.steam/rails',
    description: 'Rails and stations.',
    version: '0.2.0',
    remotes: [
      { type: 'sse', url: 'https://rails.steam.example/sse' },
      { type: 'streamable-http', url: 'https://rails.steam.example/mcp' },
    ],
  },
  'the names of 2025-07-09': {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-07-09/server.schema.json',
    name: 'io.github.old-mill/grain',
    description: 'Prices of grain.',
    status: 'active',
    version_detail: { version: '1.0.9' },
    website_url: 'https://mill.example',
    remotes: [
      {
        transport_type: 'streamable-http',
        url: 'https://mill.example/mcp',
        headers: [{ name: 'X-Mill-Token', is_required: true, is_secret: true }],
      },
    ],
  },
  'a private address': {
    $schema: latest,
    name: 'example.cellar/wine',
    description: 'Bottles in the cellar.',
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: 'http://10.1.2.3:8080/mcp' }],
  },
  'a key in the path of the address': {
    $schema: latest,
    name: 'example.zipper/flows',
    description: 'Flows between apps.',
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: 'https://zipper.example/s/Zx81kQ0pLw93mmT2bYc7aa55/mcp' }],
  },
  'what a registry answers, deprecated': {
    server: {
      $schema: latest,
      name: 'example.almanac/moons',
      description: 'Phases of the moon.',
      version: '2.2.0',
      remotes: [{ type: 'streamable-http', url: 'https://almanac.example/mcp' }],
    },
    _meta: {
      'io.modelcontextprotocol.registry/official': {
        status: 'deprecated',
        statusMessage: 'use example.almanac/sky',
        publishedAt: '2026-02-01T00:00:00Z',
        isLatest: true,
      },
    },
  },
  'what a registry answers, deleted': {
    server: {
      $schema: latest,
      name: 'example.almanac/comets',
      description: 'Comets.',
      version: '1.0.0',
      remotes: [{ type: 'streamable-http', url: 'https://almanac.example/comets' }],
    },
    _meta: { 'io.modelcontextprotocol.registry/official': { status: 'deleted', isLatest: true } },
  },
};
