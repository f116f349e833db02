import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type Transport,
} from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as z from 'zod';

export type Era = 'modern' | 'legacy';
export const eras: readonly Era[] = ['modern', 'legacy'];
export const modernRevision = '2026-07-28';

/** Returns the headers with which a gateway acts for a user. */
export function personHeaders(secret: string, subject: string): Record<string, string> {
  return { 'x-souk-service-secret': secret, 'x-souk-subject': subject };
}

/** Connects the official client over any transport, in the requested protocol era. */
export async function connectOver(transport: Transport, era: Era): Promise<Client> {
  const client = new Client(
    { name: 'service-test', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: modernRevision } : 'legacy' } },
  );
  await client.connect(transport);
  return client;
}

export function connectHttp(url: string, era: Era, headers: Record<string, string> = {}): Promise<Client> {
  return connectOver(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), era);
}

/** Connects the official client of the 1.x line. */
export async function connectOldHttp(url: string, headers: Record<string, string> = {}): Promise<OldClient> {
  const client = new OldClient({ name: 'service-test-1', version: '1.0.0' });
  // The 1.x transport types its session id as optional, without undefined, so it does not fit its own interface
  // under exactOptionalPropertyTypes.
  await client.connect(
    new OldTransport(new URL(url), { requestInit: { headers } }) as Parameters<OldClient['connect']>[0],
  );
  return client;
}

export function textOf(result: CallToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

export function structuredOf(result: { structuredContent?: unknown }): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(result.structuredContent);
}
