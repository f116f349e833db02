import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';

/** Capabilities of a client that can answer every question of a tool. */
export const everyAnswer: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Reads the names and addresses of all lists that a link serves, with the official client. */
export async function listLink(link: string, token: string, capabilities: ClientCapabilities = {}) {
  const client = new Client({ name: 'test-client', version: '1.0.0' }, { capabilities });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(link), { requestInit: { headers } }));
  try {
    const has = client.getServerCapabilities() ?? {};
    return {
      tools: (await client.listTools()).tools.map(({ name }) => name),
      prompts: has.prompts ? (await client.listPrompts()).prompts.map(({ name }) => name) : [],
      resources: has.resources ? (await client.listResources()).resources.map(({ uri }) => uri) : [],
      templates: has.resources
        ? (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)
        : [],
    };
  } finally {
    await client.close();
  }
}
