import { SERVER_INFO_META_KEY, type CallToolResult, type ProtocolError } from '@modelcontextprotocol/server';
import type { ServerResponse } from 'node:http';
import type { ToolResult } from '#adapters/mcp/upstream.ts';
import { keepAliveComment } from '#platform/http/answers/event-stream.ts';
import { receiptText, type Receipt } from '#platform/own-meta.ts';
import type { ServerIdentity } from '../protocol/server-identity.ts';
import { eventOf, streamHeaders } from '../wire/events.ts';
import type { FastCall } from './recognise-call.ts';

/** Answered with HTTP 400 in the modern era, as the SDK does (2026-07-28, basic/transports). */
const missingCapability = -32_021;

/** Where to write a call's answer. `headers` are sent with every answer. */
export type Reply = {
  /** The request's id, which is also the call's id. */
  id: string;
  response: ServerResponse;
  headers: Readonly<Record<string, string>>;
  identity: ServerIdentity;
};

type Meta = Record<string, unknown> | undefined;

/** Writes the answers of fast-path calls exactly as the SDK's server would. */
export const write = {
  /** @param receipt added to `_meta`, for a tool with a price */
  result(reply: Reply, call: FastCall, { members, meta }: ToolResult, receipt: Receipt | undefined): void {
    send(reply, 200, envelope(reply, call, members, meta, receipt));
  },
  /** Writes our own result, which says why the call has no answer. */
  failure(reply: Reply, call: FastCall, { _meta: meta, ...result }: CallToolResult): void {
    send(reply, 200, envelope(reply, call, membersOf(result), meta));
  },
  error(reply: Reply, call: FastCall, { code, message, data }: Pick<ProtocolError, 'code' | 'message' | 'data'>): void {
    // since 2026-07-28 resource-not-found has the code of invalid params; the SDK sends it in both eras
    const shown = code === -32_002 ? -32_602 : code;
    const error = { code: shown, message, ...(data !== undefined && { data }) };
    const status = call.era === 'modern' && shown === missingCapability ? 400 : 200;
    send(reply, status, JSON.stringify({ jsonrpc: '2.0', id: call.id, error }));
  },
  /** Refuses a call whose id is in use in its session, as the SDK's transport does. */
  idInUse(reply: Reply, { id }: FastCall): void {
    const error = { code: -32_600, message: 'Invalid Request: this id is in use' };
    send(reply, 400, JSON.stringify({ jsonrpc: '2.0', id, error }));
  },
  nothing({ response, headers }: Reply): void {
    if (!response.headersSent) response.writeHead(202, headers);
    response.end();
  },
  comment(reply: Reply): void {
    beginStream(reply);
    // a client that does not read needs no more comments
    if (!reply.response.writableNeedDrain) reply.response.write(keepAliveComment);
  },
  progress(reply: Reply, call: FastCall, params: Record<string, unknown>): void {
    beginStream(reply);
    const notice = {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { ...params, progressToken: call.progressToken },
    };
    reply.response.write(eventOf(JSON.stringify(notice)));
  },
};

const stampTexts = new WeakMap<ServerIdentity, string>();

function stampText(identity: ServerIdentity): string {
  let text = stampTexts.get(identity);
  if (text === undefined) {
    text = membersOf({ [SERVER_INFO_META_KEY]: identity });
    stampTexts.set(identity, text);
  }
  return text;
}

function stamped(identity: ServerIdentity, meta: Meta): string {
  return meta ? membersOf({ [SERVER_INFO_META_KEY]: identity, ...meta }) : stampText(identity);
}

function ownMembers({ identity }: Reply, { era }: FastCall, meta: Meta, receipt: Receipt | undefined): string {
  if (era === 'legacy' && !meta && !receipt) return '';
  const own = era === 'legacy' ? membersOf(meta ?? {}) : stamped(identity, meta);
  const charged = receipt ? `${own === '' ? '' : ','}${receiptText(receipt)}` : '';
  return `${era === 'legacy' ? '' : '"resultType":"complete",'}"_meta":{${own}${charged}}`;
}

function envelope(reply: Reply, call: FastCall, members: string, meta: Meta, receipt?: Receipt): string {
  const own = ownMembers(reply, call, meta, receipt);
  const separator = members !== '' && own !== '' ? ',' : '';
  return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":{${members}${separator}${own}}}`;
}

/** The members of an object as JSON text, without its braces. */
function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

function beginStream({ response, headers }: Reply): void {
  if (response.headersSent) return;
  response.writeHead(200, { ...headers, ...streamHeaders });
}

/** Sends JSON, or the last event of a stream that progress or a long wait has opened. */
function send({ response, headers }: Reply, status: number, text: string): void {
  if (response.destroyed) return;
  if (response.headersSent) return void response.end(eventOf(text));
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
