/**
 * Documents as registries publish them for servers that are packages, in several schemas. All names and texts are
 * invented.
 */
const latest = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const stdio = { type: 'stdio' };

export const publishedPackages: Readonly<Record<string, Record<string, unknown>>> = {
  'an npm package with a secret': {
    $schema: latest,
    name: 'io.github.lantern-works/lantern',
    title: 'Lantern',
    description: 'Lights of a house.',
    repository: { url: 'https://github.com/lantern-works/lantern', source: 'github' },
    version: '1.6.0',
    packages: [
      {
        registryType: 'npm',
        registryBaseUrl: 'https://registry.npmjs.org',
        identifier: '@lantern-works/lantern-mcp',
        version: '1.6.0',
        runtimeHint: 'npx',
        transport: stdio,
        runtimeArguments: [{ type: 'positional', value: '-y' }],
        environmentVariables: [
          { name: 'LANTERN_TOKEN', description: 'From the app', isRequired: true, isSecret: true },
          { name: 'LANTERN_LOG', default: 'info', choices: ['info', 'debug'] },
          { name: 'LANTERN_PROXY', description: 'Where requests leave' },
        ],
      },
    ],
  },
  'an npm package with arguments of each kind': {
    $schema: latest,
    name: 'io.github.paperboat/sails',
    description: 'Sails and winds.',
    version: '0.4.1',
    packages: [
      {
        registryType: 'npm',
        identifier: 'paperboat-sails',
        version: '0.4.1',
        transport: stdio,
        packageArguments: [
          { type: 'positional', value: 'serve' },
          { type: 'named', name: '--stdio' },
          { type: 'named', name: '--units', value: '{units}', variables: { units: { default: 'knots' } } },
          { type: 'named', name: '--port', description: 'Of the page', format: 'number' },
          { type: 'named', name: '--boat', default: 'dinghy', isRepeated: true },
        ],
      },
    ],
  },
  'an npm package with an argument of yours': {
    $schema: latest,
    name: 'io.github.paperboat/charts',
    description: 'Sea charts of a folder.',
    version: '0.4.0',
    packages: [
      {
        registryType: 'npm',
        identifier: '@paperboat/charts',
        version: '0.4.0',
        transport: stdio,
        packageArguments: [
          {
            type: 'positional',
            valueHint: 'chart_folder',
            description: 'The folder with the charts',
            format: 'filepath',
            isRequired: true,
            isRepeated: true,
          },
        ],
      },
    ],
  },
  'an npm package with a secret argument': {
    $schema: latest,
    name: 'io.github.paperboat/radio',
    description: 'Talk to other boats.',
    version: '0.1.0',
    packages: [
      {
        registryType: 'npm',
        identifier: '@paperboat/radio',
        version: '0.1.0',
        transport: stdio,
        packageArguments: [{ type: 'named', name: '--call-key', isRequired: true, isSecret: true }],
      },
    ],
  },
  'an npm package in the names of 2025-07-09': {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-07-09/server.schema.json',
    name: 'io.github.old-mill/flour',
    description: 'Flour by type.',
    version: '1.0.2',
    packages: [
      {
        registry_type: 'npm',
        registry_base_url: 'https://registry.npmjs.org',
        identifier: 'old-mill-flour',
        version: '1.0.2',
        runtime_hint: 'npx',
        package_arguments: [{ type: 'named', name: '--kind', value: 'rye', is_required: true }],
        environment_variables: [{ name: 'MILL_API_KEY', is_required: true, is_secret: true }],
      },
    ],
  },
  'a package named before there was an identifier': {
    name: 'io.github.old-mill/bread',
    description: 'Recipes of bread.',
    version_detail: { version: '0.0.3', is_latest: true },
    packages: [{ registry_name: 'npm', name: 'old-mill-bread', version: '0.0.3' }],
    remotes: null,
  },
  'an npm package that answers over HTTP': {
    $schema: latest,
    name: 'io.github.kiln-yard/pots',
    description: 'Pots in a kiln.',
    version: '2.0.0',
    packages: [
      {
        registryType: 'npm',
        identifier: 'kiln-pots',
        version: '2.0.0',
        transport: { type: 'streamable-http', url: 'http://localhost:{port}/mcp' },
        environmentVariables: [{ name: 'PORT', default: 3100, format: 'number' }],
      },
    ],
  },
  'an npm package without a version': {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json',
    name: 'io.github.small-things/small',
    description: 'Says its process id.',
    version: '1.0.0',
    packages: [{ registryType: 'npm', identifier: '@souk-test/small', transport: stdio }],
  },
  'an npm package with a range': {
    $schema: latest,
    name: 'io.github.kiln-yard/glaze',
    description: 'Glazes.',
    version: '1.0.0',
    packages: [{ registryType: 'npm', identifier: 'kiln-glaze', version: '^1.2.0', transport: stdio }],
  },
  'an npm package that is no name of one': {
    $schema: latest,
    name: 'io.github.kiln-yard/clay',
    description: 'Clay.',
    version: '1.0.0',
    packages: [
      { registryType: 'npm', identifier: 'https://files.kiln.example/clay.tgz', version: '1.0.0', transport: stdio },
    ],
  },
  'a PyPI package': {
    $schema: latest,
    name: 'io.github.riverbank/otters',
    description: 'Otters seen this year.',
    version: '0.7.0',
    packages: [
      {
        registryType: 'pypi',
        registryBaseUrl: 'https://pypi.org',
        identifier: 'riverbank-otters',
        version: '0.7.0',
        runtimeHint: 'uvx',
        transport: stdio,
        environmentVariables: [{ name: 'RIVER', description: 'Which river', isRequired: true }],
      },
    ],
  },
  'a PyPI package with a command of another name': {
    $schema: latest,
    name: 'io.github.riverbank/herons',
    description: 'Herons seen this year.',
    version: '2.4.1rc1',
    packages: [
      {
        registryType: 'pypi',
        identifier: 'riverbank-suite',
        version: '2.4.1rc1',
        runtimeHint: 'uvx',
        runtimeArguments: [
          { type: 'positional', value: '--from' },
          { type: 'positional', value: 'riverbank-suite==2.4.1rc1' },
          { type: 'positional', value: 'herons-mcp' },
        ],
        transport: stdio,
      },
    ],
  },
  'a container image': {
    $schema: latest,
    name: 'io.github.shipyard/crates',
    description: 'Crates on a ship.',
    version: '1.0.0',
    packages: [
      {
        registryType: 'oci',
        identifier: 'ghcr.io/shipyard/crates-mcp:1.0.0',
        transport: stdio,
        runtimeHint: 'docker',
        runtimeArguments: [
          { type: 'named', name: '--mount', value: 'type=bind,src={from},dst=/data', isRepeated: true },
        ],
      },
    ],
  },
  'a NuGet package': {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-09-16/server.schema.json',
    name: 'io.github.bricklane/walls',
    description: 'Walls and their bricks.',
    version: '0.4.0-beta',
    packages: [
      {
        registryType: 'nuget',
        identifier: 'Bricklane.Walls.Mcp',
        version: '0.4.0-beta',
        runtimeHint: 'dnx',
        transport: stdio,
        packageArguments: [{ type: 'positional', value: 'mcp' }],
      },
    ],
  },
  'an MCP bundle': {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json',
    name: 'io.github.inkwell/letters',
    description: 'Letters and drafts.',
    version: '1.0.2',
    packages: [
      {
        registryType: 'mcpb',
        identifier: 'https://github.com/inkwell/letters/releases/download/v1.0.2/letters.mcpb',
        fileSha256: 'a'.repeat(64),
        transport: stdio,
      },
    ],
  },
  'a kind of package that nobody installs here': {
    $schema: latest,
    name: 'io.github.anvil-co/nails',
    description: 'Nails by length.',
    version: '0.1.0',
    packages: [{ registryType: 'cargo', identifier: 'nails-mcp', version: '0.1.0', transport: stdio }],
  },
  'a container and an npm package': {
    $schema: latest,
    name: 'io.github.tandem/wheels',
    description: 'Wheels for two.',
    version: '1.3.0',
    packages: [
      { registryType: 'oci', identifier: 'docker.io/tandem/wheels:1.3.0', transport: stdio },
      { registryType: 'npm', identifier: 'tandem-wheels', version: '1.3.0', transport: stdio },
    ],
  },
  'an npm package and an address': {
    $schema: latest,
    name: 'io.github.tandem/bells',
    description: 'Bells that ring.',
    version: '1.3.1',
    packages: [{ registryType: 'npm', identifier: 'tandem-bells', version: '1.3.1', transport: stdio }],
    remotes: [{ type: 'streamable-http', url: 'https://bells.tandem.example/mcp' }],
  },
};

/** Published documents that name nothing to run, or are broken. */
export const publishedOddities: Readonly<Record<string, Record<string, unknown>>> = {
  'neither an address nor a package': {
    $schema: latest,
    name: 'io.github.idle/nothing',
    description: 'Nothing yet.',
    version: '0.0.1',
    repository: { url: 'https://github.com/idle/nothing', source: 'github' },
  },
  'lists that are null': {
    $schema: latest,
    name: 'example.nulls/void',
    description: 'A registry wrote null.',
    version: '1.0.0',
    packages: null,
    remotes: [{ type: 'streamable-http', url: 'https://void.nulls.example/mcp', headers: null, variables: null }],
  },
  'a field of a wrong type': {
    $schema: latest,
    name: 'example.broken/wheel',
    description: 'Broken.',
    version: '1.0.0',
    packages: [{ registryType: 'npm', identifier: ['a', 'b'], version: '1.0.0', transport: stdio }],
  },
  'a version with signs that ours have not': {
    $schema: latest,
    name: 'example.calendar/weeks',
    description: 'Weeks\tof\nthe year. \u202E',
    version: '2026/11 (week 48)',
    remotes: [{ type: 'streamable-http', url: 'https://weeks.calendar.example/mcp' }],
  },
  'a transport that no standard has': {
    $schema: latest,
    name: 'example.tubes/mail',
    description: 'Mail in tubes.',
    version: '1.0.0',
    remotes: [{ type: 'grpc', url: 'https://tubes.example/mcp' }],
  },
};
