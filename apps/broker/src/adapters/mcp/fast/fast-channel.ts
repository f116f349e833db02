import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import type { Dispatcher } from 'undici';
import { ownHeaders } from '#platform/http/outgoing/outgoing-agent.ts';
import type { RunningCalls } from '../connect/running-calls.ts';
import type { Era } from '../upstream.ts';
import type { Pace } from '../wire/pace.ts';

/** The sockets and session of an open HTTP upstream connection, for calls without its SDK client. */
export type HttpEndpoint = {
  dispatcher: Dispatcher;
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Set on a legacy upstream connection. */
  sessionId: string | undefined;
  maxResultBytes: number;
};

export type FastChannel = {
  readonly era: Era;
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly inSession: boolean;
  readonly maxResultBytes: number;
  readonly running: Pick<RunningCalls, 'enter'>;
  readonly pace: Pace;
  nextId(): number;
};

/** Our ids start far above those of the SDK's client, which counts from 0 on the same session. */
const firstId = 1_000_000_000;

export function createFastChannel(
  endpoint: HttpEndpoint,
  era: Era,
  protocolVersion: string,
  running: Pick<RunningCalls, 'enter'>,
  pace: Pace,
): FastChannel {
  const { url, sessionId } = endpoint;
  let lastId = firstId;
  return {
    era,
    dispatcher: endpoint.dispatcher,
    origin: url.origin,
    path: url.pathname + url.search,
    headers: {
      ...ownHeaders,
      ...inLowerCase(endpoint.headers),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      // a server refuses a version header that was not negotiated
      ...((era === 'modern' || SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) && {
        'mcp-protocol-version': protocolVersion,
      }),
      ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
    },
    inSession: sessionId !== undefined,
    maxResultBytes: endpoint.maxResultBytes,
    running,
    pace,
    nextId: () => ++lastId,
  };
}

function inLowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
