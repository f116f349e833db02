import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';

/** A client of one user, and every byte that it received. */
export type OverheardClient = { client: Client; heard(): string; notices: string[]; stop(): Promise<void> };

/** Connects the official client to a link and records everything that it receives. It answers questions with `who`. */
export async function connectOverheard(
  url: string,
  token: string,
  who: string,
  mode: 'legacy' | { pin: '2026-07-28' },
  capabilities: ClientCapabilities = { elicitation: { form: {} }, roots: { listChanged: true } },
): Promise<OverheardClient> {
  let heard = '';
  const notices: string[] = [];
  const client = new Client({ name: 'overheard', version: '1' }, { capabilities, versionNegotiation: { mode } });
  client.fallbackNotificationHandler = async ({ method, params }) => {
    notices.push(`${method} ${JSON.stringify(params ?? {})}`);
  };
  if (capabilities.elicitation) {
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { name: `${who}-answer` },
    }));
  }
  if (capabilities.roots) {
    client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: `file:///home/${who}` }] }));
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (!response.body) return response;
      const decoder = new TextDecoder();
      const listening = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          heard += decoder.decode(chunk, { stream: true });
          controller.enqueue(chunk);
        },
      });
      return new Response(response.body.pipeThrough(listening), response);
    },
  });
  await client.connect(transport);
  return { client, heard: () => heard, notices, stop: () => client.close() };
}
