import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import type { Dispatcher } from 'undici';
import type { RunningCalls } from '../running-calls.ts';
import type { Era } from '../types.ts';

/** Where the plain dispatcher sends: the sockets and the session of an open HTTP connection, without its SDK client. */
export type HttpEndpoint = {
  dispatcher: Dispatcher;
  url: URL;
  /** The target's own headers. */
  headers: Readonly<Record<string, string>>;
  /** Of a legacy connection. */
  sessionId: string | undefined;
  maxResultBytes: number;
};

export type PlainChannel = {
  readonly era: Era;
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  readonly path: string;
  /** What every message carries. */
  readonly headers: Readonly<Record<string, string>>;
  readonly inSession: boolean;
  readonly maxResultBytes: number;
  /** The calls of this connection, of either way. */
  readonly running: Pick<RunningCalls, 'enter'>;
  /** An id that no other request of this connection has. */
  nextId(): number;
};

/** The SDK's client counts from 0 on the same session: ours begin where it will not come. */
const firstId = 1_000_000_000;

export function createPlainChannel(
  endpoint: HttpEndpoint,
  era: Era,
  protocolVersion: string,
  running: Pick<RunningCalls, 'enter'>,
): PlainChannel {
  const { url, sessionId } = endpoint;
  let lastId = firstId;
  return {
    era,
    dispatcher: endpoint.dispatcher,
    origin: url.origin,
    path: url.pathname + url.search,
    headers: {
      ...endpoint.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      // a version header that the server did not negotiate would be refused
      ...((era === 'modern' || SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) && {
        'mcp-protocol-version': protocolVersion,
      }),
      ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
    },
    inSession: sessionId !== undefined,
    maxResultBytes: endpoint.maxResultBytes,
    running,
    nextId: () => ++lastId,
  };
}
