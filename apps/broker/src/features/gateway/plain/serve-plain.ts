import { isInputRequiredResult, ProtocolError, type Tool } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { callToolPlain } from '#adapters/mcp/plain/call-plain.ts';
import { Cancellation } from '#adapters/mcp/plain/cancellation.ts';
import { asRecord } from '#adapters/mcp/plain/json-object.ts';
import type { Upstream } from '#adapters/mcp/types.ts';
import type { ServerIdentity } from '../build-server.ts';
import { totalTimeoutMs } from '../call-request.ts';
import { carryOut, type Dispatch } from '../call-tool.ts';
import { exposeLinks } from '../expose-links.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { asRefusal } from '../input-rounds/across-eras.ts';
import type { LegacySessions } from '../legacy-sessions.ts';
import type { Person, Visible } from '../person.ts';
import type { PlainCall } from './plain-call.ts';
import type { PlainCalls } from './session-calls.ts';
import type { Outcome } from '../record-call.ts';
import { presentResult, readResult, type PlainResult } from './read-result.ts';
import { recogniseLegacy, recogniseModern } from './recognise-call.ts';
import { createAnswerWriter, type Reply } from './write-answer.ts';

/**
 * The short way of the calls that are nearly all of the traffic: node:http in, undici out, and the server's answer
 * passed on as it was written. Every rule of a call is above it, in call-tool.ts.
 */
export type PlainPath = {
  /**
   * Serves the request if it can be served here; else nothing has happened to it. The call is recorded under `id`, the
   * request's own; `headers` go with each answer.
   */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    person: Person,
    visible: Visible,
    body: unknown,
    known: { id: string; headers: Readonly<Record<string, string>> },
  ): Promise<void> | undefined;
};

type OnProgress = (params: Record<string, unknown>) => Promise<void> | undefined;

export function createPlainPath(
  identity: ServerIdentity,
  parts: GatewayParts,
  sessions: Pick<LegacySessions, 'enterCall'>,
): PlainPath {
  const write = createAnswerWriter(identity);

  async function answer(reply: Reply, person: Person, call: PlainCall, cancellation: Cancellation): Promise<void> {
    const onProgress =
      call.progressToken === undefined
        ? undefined
        : (params: Record<string, unknown>) =>
            reply.response.destroyed ? undefined : write.progress(reply, call, params);
    try {
      const result = await carryOut(
        { id: reply.id, person, tool: call.tool, signal: cancellation },
        parts,
        dispatchOf(person, call, cancellation, onProgress),
      );
      // whoever cancelled waits for no answer (2025-11-25, basic/utilities/cancellation)
      if (cancellation.aborted) write.nothing(reply);
      else if (isPlainResult(result)) write.result(reply, call, result);
      else write.failure(reply, call, result);
    } catch (error) {
      if (error instanceof ProtocolError) {
        // a client that can open pages, or be asked anything else, does not come here
        const refused = asRefusal(error, call.era === 'modern' ? {} : undefined);
        return refused ? write.failure(reply, call, refused) : write.error(reply, call, error);
      }
      parts.log.error({ err: error }, 'a plain call failed');
      write.error(reply, call, new ProtocolError(-32_603, 'Internal error'));
    }
  }

  function serveModern(reply: Reply, person: Person, call: PlainCall): Promise<void> {
    const { response } = reply;
    const cancellation = new Cancellation();
    // a closed stream is this era's cancellation (2026-07-28, basic/utilities/cancellation)
    response.on('close', () => {
      if (!response.writableFinished) cancellation.abort();
    });
    return answer(reply, person, call, cancellation);
  }

  async function serveLegacy(reply: Reply, person: Person, call: PlainCall, calls: PlainCalls): Promise<void> {
    const cancellation = new Cancellation();
    const leave = calls.begin(call.id, cancellation);
    if (!leave) {
      return write.error(reply, call, new ProtocolError(-32_600, 'Invalid Request: this id is in use'));
    }
    try {
      await answer(reply, person, call, cancellation);
    } finally {
      leave();
    }
  }

  return {
    serve(request, response, person, visible, body, { id, headers }) {
      const modern = recogniseModern(request.headers, body, visible);
      if (modern) return serveModern({ id, response, headers }, person, modern);
      const legacy = recogniseLegacy(request.headers, body, visible);
      const calls = legacy && sessions.enterCall(request.headers['mcp-session-id'], person);
      if (!calls) return undefined;
      const ofSession = { ...headers, 'mcp-session-id': calls.sessionId };
      return serveLegacy({ id, response, headers: ofSession }, person, legacy, calls);
    },
  };
}

function dispatchOf(
  person: Person,
  call: PlainCall,
  cancellation: Cancellation,
  onProgress: OnProgress | undefined,
): Dispatch<PlainResult> {
  const { tool } = call;
  return async (upstream) => {
    const { plain } = upstream;
    if (!plain) return throughClient(upstream, person, call, cancellation, onProgress);
    const answered = await callToolPlain(
      plain,
      { name: tool.item.name, arguments: call.arguments, meta: call.meta, clientCapabilities: call.clientCapabilities },
      { cancellation, timeoutMs: tool.server.manifest.deadlines.callMs, totalTimeoutMs, onProgress },
    );
    const answer = readResult(answered, plain.era, (result) => exposeLinks(person, tool.server, result));
    return { answer, outcome: answer.outcome };
  };
}

/** A connection that sends something of its own with each request is served by its SDK client. */
async function throughClient(
  upstream: Upstream,
  person: Person,
  { tool, ...call }: PlainCall,
  cancellation: Cancellation,
  onProgress: OnProgress | undefined,
): Promise<{ answer: PlainResult; outcome: Outcome }> {
  const given = asRecord(call.arguments);
  const result = await upstream.callTool(
    { name: tool.item.name, ...(given && { arguments: given }), _meta: call.meta },
    {
      signal: cancellation.toSignal(),
      timeoutMs: tool.server.manifest.deadlines.callMs,
      totalTimeoutMs,
      ...(onProgress && { onProgress: (progress) => void onProgress({ ...progress }) }),
      ...(call.clientCapabilities && { clientCapabilities: call.clientCapabilities }),
      // The catalogue holds what the upstream itself listed; only texts were cleaned.
      toolDefinition: tool.item.definition as Tool,
    },
  );
  const answer = presentResult(isInputRequiredResult(result) ? result : exposeLinks(person, tool.server, result));
  return { answer, outcome: answer.outcome };
}

function isPlainResult(result: object): result is PlainResult {
  return 'members' in result;
}
