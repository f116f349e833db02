import type { CapabilityAnswer, ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';

/** Builds a server for tests: the given fields, and ordinary ones. */
export function testServer(given: Partial<ServerAnswer> & { serverId: string }): ServerAnswer {
  const name = given.displayName ?? given.serverId;
  const description = given.displayDescription ?? `What ${name} does.`;
  return {
    serverName: name,
    displayName: name,
    displayDescription: description,
    status: 'connected',
    metadata: { category: 'API Services', description, version: '1.0.0', author: 'Tests' },
    capabilities: { tools: 1, prompts: 0, resources: 0 },
    estimatedTokens: 100,
    connectionType: 'http',
    lastUpdate: '2026-11-21T03:00:00.000Z',
    ...given,
  };
}

export function testCapability(
  given: Partial<CapabilityAnswer> & { serverId: string; name: string },
): CapabilityAnswer {
  return { type: 'tool', displayName: given.name, description: '', displayDescription: '', ...given };
}
