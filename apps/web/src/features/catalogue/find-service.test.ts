import { expect, test } from 'vitest';
import { findService } from './find-service.ts';
import { testCapability, testServer } from './testing/test-server.ts';

const servers = [testServer({ serverId: 'notes' }), testServer({ serverId: 'travel' })];
const capabilities = [
  testCapability({ serverId: 'notes', name: 'create_note' }),
  testCapability({ serverId: 'travel', name: 'find_airport' }),
  testCapability({ serverId: 'travel', name: 'plan_trip', type: 'prompt' }),
  testCapability({ serverId: 'travel', name: 'airports', type: 'resource', uri: 'travel://airports' }),
];

test('a service is found with its own tools, prompts and resources', () => {
  const found = findService({ servers, capabilities }, 'travel');
  expect(found).toMatchObject({
    server: { serverId: 'travel' },
    tools: [{ name: 'find_airport' }],
    prompts: [{ name: 'plan_trip' }],
    resources: [{ name: 'airports' }],
  });
});

test("[SVC-10] Without an id the error is 'No server ID provided'", () => {
  expect(findService({ servers, capabilities }, '')).toEqual({ error: 'No server ID provided' });
});

test('[SVC-11] With no servers at all the error says that the broker may not be running', () => {
  expect(findService({ servers: [], capabilities: [] }, 'travel')).toEqual({
    error: 'No MCP services found. The MCP broker may not be running.',
  });
});

test('[SVC-12] With an unknown id the error names the id and the servers that there are', () => {
  expect(findService({ servers, capabilities }, 'Travel')).toEqual({
    error: "MCP server with ID 'Travel' not found. Available servers: notes, travel",
  });
});
