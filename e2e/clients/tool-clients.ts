import { experimental_createMCPClient as createAiSdkClient } from '@ai-sdk/mcp';
import {
  connectLegacy,
  connectModern,
  connectV1,
  type TestClient,
} from '../../apps/broker/src/testing/people/mcp-clients.ts';
import { inspect, type Access } from './inspector.ts';
import { connectMcpRemote, openHome } from './mcp-remote.ts';

/** Operations that every MCP client supports with a link and a token. */
export type ToolClient = {
  list(): Promise<string[]>;
  call(name: string, args: Record<string, string>): Promise<string>;
  close(): Promise<void>;
};

type SdkClient = Pick<TestClient, 'listTools' | 'callTool' | 'close'>;

const fromSdk =
  (connect: (access: Access) => Promise<SdkClient>) =>
  async (access: Access): Promise<ToolClient> => {
    const client = await connect(access);
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => JSON.stringify((await client.callTool({ name, arguments: args })).content),
      close: () => client.close(),
    };
  };

/** Real, unmodified client programs. */
export const toolClients: readonly [string, (access: Access) => Promise<ToolClient>][] = [
  ['SDK 1.x', fromSdk(({ link, token }) => connectV1(link, token))],
  ['SDK 2.x (legacy)', fromSdk(({ link, token }) => connectLegacy(link, token))],
  ['SDK 2.x (modern)', fromSdk(({ link, token }) => connectModern(link, token))],
  ['the Inspector --cli (legacy)', async (access) => inspector(access, 'legacy')],
  ['the Inspector --cli (modern)', async (access) => inspector(access, 'modern')],
  ['@ai-sdk/mcp', aiSdk],
  ['mcp-remote with a header', mcpRemote],
];

function inspector(access: Access, era: 'legacy' | 'modern'): ToolClient {
  return {
    list: async () => (await inspect(access, era, ['--method', 'tools/list'])).tools?.map(({ name }) => name) ?? [],
    async call(name, args) {
      const given = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]);
      const answer = await inspect(access, era, ['--method', 'tools/call', '--tool-name', name, ...given]);
      return JSON.stringify(answer.content);
    },
    close: async () => {},
  };
}

async function aiSdk({ link, token }: Access): Promise<ToolClient> {
  const client = await createAiSdkClient({
    transport: { type: 'http', url: link, headers: { Authorization: `Bearer ${token}` } },
  });
  return {
    // the names that a model gets
    list: async () => Object.keys(await client.tools()),
    async call(name, args) {
      const tool = (await client.tools())[name];
      if (!tool) throw new Error(`@ai-sdk/mcp has no tool ${name}`);
      return JSON.stringify(await tool.execute(args, { toolCallId: 'call-1', messages: [], context: {} }));
    },
    close: () => client.close(),
  };
}

async function mcpRemote({ link, token }: Access): Promise<ToolClient> {
  const home = await openHome();
  const client = await fromSdk(() =>
    connectMcpRemote(link, { home: home.path, args: ['--header', `Authorization: Bearer ${token}`] }),
  )({ link, token });
  return {
    ...client,
    async close() {
      await client.close();
      await home.remove();
    },
  };
}
