import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';

/** The capabilities of a client that can answer everything that a tool may ask. */
export const everyAnswer: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** The names and addresses of all lists that a link serves, as the official client reads them. */
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
