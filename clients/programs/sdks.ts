import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { MemoryProvider } from '../memory-provider.ts';
import type { Person } from '../person.ts';
import { filledForm, type Connected, type Program, type Setting } from '../program.ts';

const version = '1.0.0';
const callTimeoutMs = 60_000;

type Mode = 'legacy' | 'auto' | { pin: '2026-07-28' };

/** The official SDKs, used like by a program that is built on them. */
export const sdkPrograms: readonly Program[] = [
  { name: 'sdk-v1', label: 'SDK 1.x', package: '@modelcontextprotocol/sdk', connect: connectV1 },
  { name: 'sdk-v2-legacy', label: 'SDK 2.x, legacy', package: '@modelcontextprotocol/client', connect: v2('legacy') },
  {
    name: 'sdk-v2-modern',
    label: 'SDK 2.x, modern',
    package: '@modelcontextprotocol/client',
    connect: v2({ pin: '2026-07-28' }),
  },
];

/** Sign-in state of each person's client, kept between its connections. */
const providers = new WeakMap<Person, MemoryProvider>();

export function providerOf(person: Person, name: string): MemoryProvider {
  const provider = providers.get(person) ?? new MemoryProvider(person, name);
  providers.set(person, provider);
  return provider;
}

/** Connects, and connects again after the sign-in if the first attempt led to one. */
export async function afterSignIn<T>(
  provider: MemoryProvider,
  connect: () => Promise<T>,
  finish: (callback: URL) => Promise<unknown>,
): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    if (!provider.callback) throw error;
    await finish(provider.takeCallback());
    return connect();
  }
}

function v2(mode: Mode): Program['connect'] {
  return async ({ link, person }: Setting): Promise<Connected> => {
    const name = 'clients-sdk-v2';
    const provider = providerOf(person, name);
    const transport = () => new StreamableHTTPClientTransport(new URL(link), { authProvider: provider });
    const connect = async () => {
      const client = new Client(
        { name, version },
        { capabilities: { elicitation: { form: {}, url: {} } }, versionNegotiation: { mode } },
      );
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        if (params.mode !== 'url') return { action: 'accept', content: filledForm };
        await person.connectNotes();
        return { action: 'accept' };
      });
      await client.connect(transport());
      return client;
    };
    const client = await afterSignIn(provider, connect, (callback) => transport().finishAuth(callback.searchParams));
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (tool, args) =>
        JSON.stringify(
          await client.callTool({ name: tool, arguments: args }, { onprogress: () => {}, timeout: callTimeoutMs }),
        ),
      close: () => client.close(),
    };
  };
}

async function connectV1({ link, person }: Setting): Promise<Connected> {
  const name = 'clients-sdk-v1';
  const provider = providerOf(person, name);
  const transport = () => new TransportV1(new URL(link), { authProvider: provider });
  const connect = async () => {
    const client = new ClientV1({ name, version }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: filledForm }));
    // SDK 1.x declares optional members without `undefined`, which exactOptionalPropertyTypes takes literally.
    await client.connect(transport() as Parameters<ClientV1['connect']>[0]);
    return client;
  };
  const client = await afterSignIn(provider, connect, (callback) =>
    transport().finishAuth(callback.searchParams.get('code') ?? ''),
  );
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (tool, args) =>
      JSON.stringify(
        await client.callTool({ name: tool, arguments: args }, undefined, {
          onprogress: () => {},
          timeout: callTimeoutMs,
        }),
      ),
    close: () => client.close(),
  };
}
