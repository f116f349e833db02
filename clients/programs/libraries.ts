import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MemoryProvider } from '../memory-provider.ts';
import { filledForm, isNameOf, type Connected, type Program, type Setting } from '../program.ts';
import { afterSignIn, providerOf } from './sdks.ts';

const callTimeoutMs = 60_000;
const accepted = { action: 'accept', content: filledForm };

/** Libraries that give agents the tools of MCP servers, each with its own API. */
export const libraryPrograms: readonly Program[] = [
  library('ai-sdk', '@ai-sdk/mcp', openAiSdk, finishAiSdk),
  library('langchain', '@langchain/mcp-adapters', openLangchain),
  library('openai-agents', '@openai/agents', openOpenAiAgents),
  library('mastra', '@mastra/mcp', openMastra),
];

type Open = (setting: Setting, provider: MemoryProvider) => Promise<Connected>;
type Finish = (setting: Setting, provider: MemoryProvider, callback: URLSearchParams) => Promise<unknown>;

/** Ends a sign-in with the SDK. Most libraries leave that step to their SDK. */
async function finishWithSdk(...[{ link }, provider, callback]: Parameters<Finish>): Promise<void> {
  await new StreamableHTTPClientTransport(new URL(link), { authProvider: provider }).finishAuth(callback);
}

function library(name: string, package_: string, open: Open, finish: Finish = finishWithSdk): Program {
  return {
    name,
    label: package_,
    packages: 'libraries',
    package: package_,
    connect(setting) {
      const provider = providerOf(setting.person, package_);
      const back = ({ searchParams }: URL) => finish(setting, provider, searchParams);
      return afterSignIn(provider, () => open(setting, provider), back);
    },
  };
}

/** Loads a package of the set. It is no dependency of this repository, so its types are unknown here. */
function load<Module>({ packages }: Setting, name: string): Promise<Module> {
  const resolve = createRequire(join(packages, 'package.json')).resolve;
  return import(pathToFileURL(resolve(name)).href);
}

type AiTool = { execute(args: unknown, options: unknown): Promise<unknown> };
type AiSdk = {
  auth(provider: MemoryProvider, options: unknown): Promise<unknown>;
  createMCPClient(config: unknown): Promise<{
    tools(): Promise<Record<string, AiTool>>;
    onElicitationRequest(schema: unknown, answer: () => typeof accepted): void;
    close(): Promise<void>;
  }>;
  ElicitationRequestSchema: unknown;
};

async function openAiSdk(setting: Setting, provider: MemoryProvider): Promise<Connected> {
  const { createMCPClient, ElicitationRequestSchema } = await load<AiSdk>(setting, '@ai-sdk/mcp');
  const client = await createMCPClient({
    transport: { type: 'http', url: setting.link, authProvider: provider },
    capabilities: { elicitation: {} },
  });
  client.onElicitationRequest(ElicitationRequestSchema, () => accepted);
  return {
    tools: async () => Object.keys(await client.tools()),
    call: async (name, args) => {
      const tool = named(await client.tools(), name);
      return JSON.stringify(await tool.execute(args, { toolCallId: 'call-1', messages: [], context: {} }));
    },
    close: () => client.close(),
  };
}

async function finishAiSdk(...[setting, provider, callback]: Parameters<Finish>): Promise<void> {
  const { auth } = await load<AiSdk>(setting, '@ai-sdk/mcp');
  await auth(provider, {
    serverUrl: setting.link,
    authorizationCode: callback.get('code'),
    callbackIssuer: callback.get('iss') ?? undefined,
  });
}

type LangchainTool = { name: string; invoke(args: unknown): Promise<unknown> };
type Langchain = {
  MultiServerMCPClient: new (config: unknown) => { getTools(): Promise<LangchainTool[]>; close(): Promise<void> };
};

async function openLangchain(setting: Setting, provider: MemoryProvider): Promise<Connected> {
  const { MultiServerMCPClient } = await load<Langchain>(setting, '@langchain/mcp-adapters');
  const client = new MultiServerMCPClient({
    mcpServers: { souk: { transport: 'http', url: setting.link, authProvider: provider } },
    // so that it asks for progress
    onProgress: () => {},
  });
  const tools = await client.getTools();
  return {
    tools: async () => (await client.getTools()).map(({ name }) => name),
    call: async (name, args) =>
      JSON.stringify(await named(Object.fromEntries(tools.map((tool) => [tool.name, tool])), name).invoke(args)),
    close: () => client.close(),
  };
}

type AgentsServer = {
  connect(): Promise<void>;
  listTools(): Promise<{ name: string }[]>;
  callTool(name: string, args: unknown): Promise<unknown>;
  close(): Promise<void>;
};
type OpenAiAgents = { MCPServerStreamableHttp: new (options: unknown) => AgentsServer };

async function openOpenAiAgents(setting: Setting, provider: MemoryProvider): Promise<Connected> {
  const { MCPServerStreamableHttp } = await load<OpenAiAgents>(setting, '@openai/agents');
  const server = new MCPServerStreamableHttp({ url: setting.link, name: 'souk', authProvider: provider });
  await server.connect();
  return {
    tools: async () => (await server.listTools()).map(({ name }) => name),
    call: async (name, args) => JSON.stringify(await server.callTool(name, args)),
    close: () => server.close(),
  };
}

type MastraTool = { execute(input: unknown, context?: unknown): Promise<unknown> };
type Mastra = {
  MCPClient: new (options: unknown) => {
    listTools(): Promise<Record<string, MastraTool>>;
    disconnect(): Promise<void>;
  };
};

async function openMastra(setting: Setting, provider: MemoryProvider): Promise<Connected> {
  const { MCPClient } = await load<Mastra>(setting, '@mastra/mcp');
  const server = {
    url: new URL(setting.link),
    authProvider: provider,
    connectTimeout: 30_000,
    enableProgressTracking: true,
    inputRequests: async () => accepted,
  };
  const client = new MCPClient({ servers: { souk: server }, timeout: callTimeoutMs, id: setting.person.email });
  const tools = await client.listTools();
  if (provider.callback || Object.keys(tools).length === 0) {
    await client.disconnect();
    throw new Error('Mastra lists no tools');
  }
  return {
    tools: async () => Object.keys(await client.listTools()),
    call: async (name, args) => JSON.stringify(await named(tools, name).execute(args, {})),
    close: () => client.disconnect(),
  };
}

/** Finds a tool by our name: some libraries put the server's name before it. */
function named<Tool>(tools: Record<string, Tool>, name: string): Tool {
  const found = Object.entries(tools).find(([key]) => isNameOf(key, name));
  if (!found) throw new Error(`the client has no tool ${name}`);
  return found[1];
}
