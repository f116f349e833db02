import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { MemoryProvider } from '../clients/memory-provider.ts';
import { Person } from '../clients/person.ts';
import { afterSignIn } from '../clients/programs/sdks.ts';

export type SignedIn = { client: Client; clientId: string | undefined };

/**
 * Connects the official client with only the link: it gets a 401, discovers how to sign in and registers, and a scripted
 * user picks an account and clicks Allow.
 */
export async function connectBySignIn(link: string, email: string, era: 'modern' | 'legacy'): Promise<SignedIn> {
  const url = new URL(link);
  const person = new Person(url.origin, email);
  const provider = Object.assign(new MemoryProvider(person, 'Test client'), { state: () => 'a-state-of-the-client' });
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const transport = () => new StreamableHTTPClientTransport(url, { authProvider: provider });
  const connect = async () => {
    const client = new Client({ name: 'test-client', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(transport());
    return client;
  };
  const client = await afterSignIn(provider, connect, (callback) => transport().finishAuth(callback.searchParams));
  if (person.signIns !== 1) throw new Error(`signed in ${person.signIns} times`);
  return { client, clientId: provider.clientInformation()?.client_id };
}
