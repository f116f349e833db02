import {
  classifyInboundRequest,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  type ClientCapabilities,
} from '@modelcontextprotocol/server';
import type { IncomingHttpHeaders } from 'node:http';
import { mirrorsArguments } from '#adapters/mcp/upstream.ts';
import { asRecord } from '#platform/json.ts';
import { parseAccept } from '../wire/parse-accept.ts';
import type { ClientInfo } from '../protocol/failing-clients.ts';
import { modernRevision } from '../protocol/modern-revision.ts';
import { canBeAsked, usableCapabilities } from '../protocol/usable-capabilities.ts';
import { isListedAsItIs } from '../view/legacy-result.ts';
import type { Found, Visible } from '../view/visible.ts';

const messageKeys: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const paramKeys: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);
const envelopeKeys: ReadonlySet<string> = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
]);
const reservedPrefix = 'io.modelcontextprotocol/';

/** A complete, well-formed tools/call for the fast path. The SDK serves all other requests, also the invalid ones. */
export type FastCall = {
  era: 'modern' | 'legacy';
  id: string | number;
  tool: Found;
  arguments: Record<string, unknown> | undefined;
  /** `_meta` without the keys that only concern this hop. */
  meta: Record<string, unknown>;
  progressToken: string | number | undefined;
  /** Modern clients send their capabilities with each request, legacy clients when they open their session. */
  clientCapabilities: ClientCapabilities;
  isInteractive: boolean;
};

type CallMessage = {
  id: string | number;
  name: string;
  arguments: Record<string, unknown> | undefined;
  meta: Record<string, unknown>;
};

/** Returns the call of a request of 2026-07-28 that can take the fast path: its headers and envelope are valid. */
export function recogniseModern(
  headers: IncomingHttpHeaders,
  message: CallMessage,
  visible: Visible,
): FastCall | undefined {
  const { meta } = message;
  if (meta[PROTOCOL_VERSION_META_KEY] !== modernRevision) return undefined;
  if (headers['mcp-protocol-version'] !== modernRevision || headers['mcp-method'] !== 'tools/call') return undefined;
  if (headers['mcp-name'] !== message.name) return undefined;
  const clientCapabilities = asRecord(meta[CLIENT_CAPABILITIES_META_KEY]) && capabilitiesOf(meta);
  return clientCapabilities && complete('modern', message, visible, clientCapabilities);
}

/** Returns the call of a request in a session up to 2025-11-25. The session knows the client's capabilities. */
export function recogniseLegacy(
  headers: IncomingHttpHeaders,
  message: CallMessage,
  visible: Visible,
  clientCapabilities: ClientCapabilities,
): FastCall | undefined {
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && (typeof version !== 'string' || !SUPPORTED_PROTOCOL_VERSIONS.includes(version))) {
    return undefined;
  }
  if (Object.keys(message.meta).some((key) => key.startsWith(reservedPrefix))) return undefined;
  const call = complete('legacy', message, visible, clientCapabilities);
  return call && isListedAsItIs(call.tool.item.definition) ? call : undefined;
}

/** Returns the call in a body; undefined for any other message, and for one that the SDK has to answer. */
export function readCall(headers: IncomingHttpHeaders, body: unknown): CallMessage | undefined {
  if (headers['content-type'] !== 'application/json' || !parseAccept(headers.accept).json) return undefined;
  const message = asRecord(body);
  if (message?.['jsonrpc'] !== '2.0' || message['method'] !== 'tools/call') return undefined;
  const { id } = message;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  const params = asRecord(message['params']);
  if (!params || hasOther(message, messageKeys) || hasOther(params, paramKeys)) return undefined;
  const name = params['name'];
  const given = params['arguments'];
  if (typeof name !== 'string' || (given !== undefined && !asRecord(given))) return undefined;
  const meta = params['_meta'] === undefined ? {} : asRecord(params['_meta']);
  if (!meta) return undefined;
  return { id: typeof id === 'string' ? id : Number(id), name, arguments: asRecord(given), meta };
}

function complete(
  era: FastCall['era'],
  message: CallMessage,
  visible: Visible,
  clientCapabilities: ClientCapabilities,
): FastCall | undefined {
  const tool = visible.tool(message.name);
  if (!tool || mirrorsArguments(tool.item.definition)) return undefined;
  const { progressToken } = message.meta;
  if (progressToken !== undefined && typeof progressToken !== 'string' && !Number.isSafeInteger(progressToken)) {
    return undefined;
  }
  const meta: Record<string, unknown> = {};
  for (const key in message.meta) {
    if (key !== 'progressToken' && !envelopeKeys.has(key)) meta[key] = message.meta[key];
  }
  return {
    era,
    id: message.id,
    tool,
    arguments: message.arguments,
    meta,
    progressToken: typeof progressToken === 'number' || typeof progressToken === 'string' ? progressToken : undefined,
    clientCapabilities,
    isInteractive: canBeAsked(clientCapabilities),
  };
}

function hasOther(object: Record<string, unknown>, known: ReadonlySet<string>): boolean {
  for (const key in object) if (!known.has(key)) return true;
  return false;
}

/** Usable capabilities by the text of envelopes that the SDK has accepted: a client sends the same with each call. */
const goodEnvelopes = new Map<string, ClientCapabilities>();
const maxEnvelopes = 1000;
const maxEnvelopeLength = 4096;

/** Returns the usable capabilities of an envelope; undefined if the SDK has to answer it. */
function capabilitiesOf(meta: Record<string, unknown>): ClientCapabilities | undefined {
  // a log level needs notices during the call, and the SDK checks the protocol's other keys
  for (const key in meta) if (key.startsWith(reservedPrefix) && !envelopeKeys.has(key)) return undefined;
  const text = JSON.stringify([meta[CLIENT_CAPABILITIES_META_KEY], meta[CLIENT_INFO_META_KEY]]);
  const known = goodEnvelopes.get(text);
  if (known) return known;
  const params = { name: 'any', _meta: meta };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  if (classifyInboundRequest({ httpMethod: 'POST', body: message }).kind !== 'modern') return undefined;
  // why the casts: the envelope was checked against the schema
  const declared = meta[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities;
  const capabilities = usableCapabilities(
    declared,
    meta[CLIENT_INFO_META_KEY] as ClientInfo | undefined,
    modernRevision,
  );
  if (capabilities && text.length <= maxEnvelopeLength) {
    if (goodEnvelopes.size >= maxEnvelopes) goodEnvelopes.clear();
    goodEnvelopes.set(text, capabilities);
  }
  return capabilities;
}
