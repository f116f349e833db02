import type { Discovered } from '../discovery/discovered.ts';
import { parseManifest } from '../manifests/parse-manifest.ts';

/** Tables of a catalogue without the other features. */

export const policy = {
  stdioAliases: new Set<string>(),
  services: new Set(['weather']),
  addressProblem: () => undefined,
};

/** Builds a complete manifest, with the fields of `change`. */
export function manifest(id: string, change: object = {}, allowed = policy) {
  return parseManifest(
    JSON.stringify({
      id,
      name: id.toUpperCase(),
      serviceType: 'mcp',
      version: '1.0.0',
      description: 'A server.',
      category: 'data',
      connection: { type: 'http', url: `https://${id}.example.com/mcp` },
      ...change,
    }),
    allowed,
  );
}

export const tool = (name: string, description = '') => ({ name, description, inputSchema: { type: 'object' } });

/** Builds the discovery result of a server with two tools. */
export const offering = (change: Partial<Discovered> = {}): Discovered => ({
  era: 'legacy',
  instructions: undefined,
  tools: [tool('one'), tool('two')],
  prompts: [],
  resources: [],
  templates: [],
  ...change,
});
