import { SERVER_INFO_META_KEY, type CallToolResult, type ProtocolError } from '@modelcontextprotocol/server';
import type { ServerResponse } from 'node:http';
import type { ServerIdentity } from '../build-server.ts';
import type { PlainCall } from './plain-call.ts';
import type { PlainResult } from './read-result.ts';

/** -32021: the request itself was at fault (2026-07-28, basic/transports), as the SDK has it. */
const missingCapability = -32_021;

/** Where an answer is written to, with the headers that it carries whatever it says. */
export type Reply = {
  /** The request's id, which is the call's. */
  id: string;
  response: ServerResponse;
  headers: Readonly<Record<string, string>>;
};

/** Writes the answers of plain calls, in the words that the SDK's server has for the same. */
export type AnswerWriter = {
  result(reply: Reply, call: PlainCall, result: PlainResult): void;
  /** A result of our own making: why a call brought nothing. */
  failure(reply: Reply, call: PlainCall, result: CallToolResult): void;
  error(reply: Reply, call: PlainCall, error: Pick<ProtocolError, 'code' | 'message' | 'data'>): void;
  /** Refuses a call whose id another call of its session has, as the SDK's transport does. */
  idInUse(reply: Reply, call: PlainCall): void;
  /** Ends an exchange whose call was cancelled. */
  nothing(reply: Reply): void;
  progress(reply: Reply, call: PlainCall, params: Record<string, unknown>): Promise<void> | undefined;
};

export function createAnswerWriter(identity: ServerIdentity): AnswerWriter {
  const stamp = { [SERVER_INFO_META_KEY]: identity };
  const stampText = `"_meta":${JSON.stringify(stamp)}`;

  function envelope(call: PlainCall, members: string, meta: Record<string, unknown> | undefined): string {
    const parts = members === '' ? [] : [members];
    if (call.era === 'modern') {
      parts.push('"resultType":"complete"', meta ? `"_meta":${JSON.stringify({ ...stamp, ...meta })}` : stampText);
    } else if (meta) parts.push(`"_meta":${JSON.stringify(meta)}`);
    return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":{${parts.join(',')}}}`;
  }

  return {
    result: (reply, call, result) => send(reply, 200, envelope(call, result.members, result.meta)),
    failure(reply, call, { _meta: meta, ...result }) {
      send(reply, 200, envelope(call, JSON.stringify(result).slice(1, -1), meta));
    },
    error(reply, call, { code, message, data }) {
      // 2026-07-28 gave resource-not-found the code of invalid params; the SDK answers both eras alike
      const shown = code === -32_002 ? -32_602 : code;
      const error = { code: shown, message, ...(data !== undefined && { data }) };
      const status = call.era === 'modern' && shown === missingCapability ? 400 : 200;
      send(reply, status, JSON.stringify({ jsonrpc: '2.0', id: call.id, error }));
    },
    idInUse(reply, { id }) {
      const error = { code: -32_600, message: 'Invalid Request: this id is in use' };
      send(reply, 400, JSON.stringify({ jsonrpc: '2.0', id, error }));
    },
    nothing({ response, headers }) {
      if (!response.headersSent) response.writeHead(202, headers);
      response.end();
    },
    progress({ response, headers }, call, params) {
      if (!response.headersSent) {
        response.writeHead(200, {
          ...headers,
          'content-type': 'text/event-stream',
          'cache-control': 'no-cache, no-transform',
          'x-accel-buffering': 'no',
        });
      }
      const notice = {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { ...params, progressToken: call.progressToken },
      };
      // a client that reads slowly slows the server down, not our memory
      return response.write(eventOf(JSON.stringify(notice))) ? undefined : drained(response);
    },
  };
}

/** As JSON, or as the last event where progress has opened a stream. */
function send({ response, headers }: Reply, status: number, text: string): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    response.end(eventOf(text));
    return;
  }
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function eventOf(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}

/** Resolves when a client that reads slowly has caught up, or is gone. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
