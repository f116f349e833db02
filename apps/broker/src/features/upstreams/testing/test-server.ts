import { parseManifest, type CatalogueServer } from '#features/catalogue/index.ts';

/** A deployed server as the catalogue gives it, without tools; `manifest` replaces parts of an HTTP server's manifest. */
export function testServer(manifest: { id: string } & Record<string, unknown>): CatalogueServer {
  const parsed = parseManifest(
    JSON.stringify({
      name: manifest.id,
      serviceType: 'mcp',
      version: '1.0.0',
      description: 'A server of a test.',
      category: 'data',
      connection: { type: 'http', url: 'http://server.test/mcp' },
      ...manifest,
    }),
    {
      stdioAliases: new Set(['files', 'fault', 'lingers']),
      services: new Set(),
      addressProblem: () => undefined,
    },
  );
  return {
    id: parsed.id,
    slug: parsed.id,
    manifest: parsed,
    status: 'connected',
    statusDetail: undefined,
    era: undefined,
    instructions: undefined,
    features: undefined,
    icon: undefined,
    leftOut: undefined,
    answerSha256: undefined,
    prices: new Map(),
    tools: [],
    toolsUnderReview: [],
    prompts: [],
    resources: [],
    templates: [],
    offersHash: '',
    discoveredAtMs: 1,
    deployedAtMs: 1,
  };
}
