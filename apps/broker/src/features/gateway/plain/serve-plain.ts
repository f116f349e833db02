import {
  isInputRequiredResult,
  ProtocolError,
  type InputRequiredResult,
  type Tool,
} from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { callToolPlain } from '#adapters/mcp/plain/call-plain.ts';
import { slowMs } from '#adapters/mcp/plain/deadline.ts';
import { asRecord } from '#adapters/mcp/plain/json-object.ts';
import type { Upstream } from '#adapters/mcp/types.ts';
import type { ServerIdentity } from '../build-server.ts';
import { totalTimeoutMs } from '../call-request.ts';
import { carryOut } from '../call-tool.ts';
import { exposeLinks } from '../expose-links.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { asRefusal } from '../input-rounds/across-eras.ts';
import type { McpEndpoint } from '../mcp-endpoint.ts';
import type { Person, Visible } from '../person.ts';
import { isPlainResult, OpenCall } from './open-call.ts';
import type { PlainCalls } from './session-calls.ts';
import type { Outcome } from '../record-call.ts';
import { presentResult, readResult, type PlainResult } from './read-result.ts';
import { recogniseLegacy, recogniseModern } from './recognise-call.ts';
import { createAnswerWriter } from './write-answer.ts';

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

export function createPlainPath(
  identity: ServerIdentity,
  parts: GatewayParts,
  endpoint: Pick<McpEndpoint, 'handle' | 'sessions'>,
): PlainPath {
  const write = createAnswerWriter(identity);

  async function answer(open: OpenCall): Promise<void> {
    const { call, cancellation } = open;
    const { person, reply } = open.cameIn;
    open.running = carryOut({ id: reply.id, person, tool: call.tool, signal: cancellation }, parts, (upstream) =>
      dispatch(upstream, open),
    );
    try {
      const end = await open.running;
      if (open.isHandedOver) return await open.handOver();
      // whoever cancelled waits for no answer (2025-11-25, basic/utilities/cancellation)
      if (cancellation.aborted) return write.nothing(reply);
      if (isPlainResult(end)) return write.result(reply, call, end);
      if (isInputRequiredResult(end) || call.isInteractive) return await open.handOver();
      write.failure(reply, call, end);
    } catch (error) {
      await answerError(error, open);
    }
  }

  async function answerError(error: unknown, open: OpenCall): Promise<void> {
    const { call, cameIn } = open;
    const { reply } = cameIn;
    if (open.isHandedOver || (call.isInteractive && !reply.response.destroyed)) return open.handOver();
    if (error instanceof ProtocolError) {
      const refused = asRefusal(error, call.era === 'modern' ? {} : undefined);
      return refused ? write.failure(reply, call, refused) : write.error(reply, call, error);
    }
    parts.log.error({ err: error }, 'a plain call failed');
    write.error(reply, call, new ProtocolError(-32_603, 'Internal error'));
  }

  function serveModern(open: OpenCall): Promise<void> {
    const { response } = open.cameIn.reply;
    // a closed stream is this era's cancellation (2026-07-28, basic/utilities/cancellation)
    response.on('close', () => {
      if (!response.writableFinished) open.cancellation.abort();
    });
    return answer(open);
  }

  async function serveLegacy(open: OpenCall, calls: PlainCalls): Promise<void> {
    const { call, cameIn } = open;
    const entry = calls.begin(call.id, open.cancellation);
    if (!entry) return write.idInUse(cameIn.reply, call);
    open.entry = entry;
    try {
      await answer(open);
    } finally {
      entry.leave();
    }
  }

  return {
    serve(request, response, { caller, serverId }, visible, body, { id, headers }) {
      const modern = recogniseModern(request.headers, body, visible);
      if (modern) {
        const person = { caller, serverId, capabilities: modern.clientCapabilities };
        const cameIn = { request, body, person, reply: { id, response, headers }, client: `${caller.tokenId}/` };
        return serveModern(new OpenCall(modern, cameIn, endpoint, write));
      }
      const calls = endpoint.sessions.enterCall(request.headers['mcp-session-id'], { caller, serverId });
      if (!calls?.capabilities) return undefined;
      const legacy = recogniseLegacy(request.headers, body, visible, calls.capabilities);
      if (!legacy) return undefined;
      const person = { caller, serverId, capabilities: legacy.clientCapabilities };
      const reply = { id, response, headers: { ...headers, 'mcp-session-id': calls.sessionId } };
      const cameIn = { request, body, person, reply, client: `${caller.tokenId}/${calls.sessionId}` };
      return serveLegacy(new OpenCall(legacy, cameIn, endpoint, write), calls);
    },
  };
}

type Dispatched = { answer: PlainResult | InputRequiredResult; outcome: Outcome };

async function dispatch(upstream: Upstream, open: OpenCall): Promise<Dispatched> {
  const { plain } = upstream;
  if (!plain) return throughClient(upstream, open);
  const { tool, arguments: given, meta } = open.call;
  const limits = { timeoutMs: tool.server.manifest.deadlines.callMs, totalTimeoutMs };
  const answered = await callToolPlain(plain, { name: tool.item.name, arguments: given, meta }, open, limits);
  const { person } = open.cameIn;
  const answer = readResult(answered, plain.era, (result) => exposeLinks(person, tool.server, result));
  return { answer, outcome: isPlainResult(answer) ? answer.outcome : asksForInput };
}

const asksForInput: Outcome = { outcome: 'refused', reason: 'input_required' };

/** A connection that sends something of its own with each request is served by its SDK client. */
async function throughClient(upstream: Upstream, open: OpenCall): Promise<Dispatched> {
  const { tool, ...call } = open.call;
  const given = asRecord(call.arguments);
  const slow = setTimeout(() => open.onSlow(), slowMs);
  try {
    const result = await upstream.callTool(
      { name: tool.item.name, ...(given && { arguments: given }), _meta: call.meta },
      {
        client: open.client,
        clientCapabilities: open.clientCapabilities,
        onAsk: (ask, signal) => open.onAsk(ask, signal),
        onLog: (message) => open.onLog(message),
        signal: open.cancellation.toSignal(),
        timeoutMs: tool.server.manifest.deadlines.callMs,
        totalTimeoutMs,
        ...(open.wantsProgress && { onProgress: (progress) => void open.onProgress({ ...progress }) }),
        // The catalogue holds what the upstream itself listed; only texts were cleaned.
        toolDefinition: tool.item.definition as Tool,
      },
    );
    if (isInputRequiredResult(result)) return { answer: result, outcome: asksForInput };
    const answer = presentResult(exposeLinks(open.cameIn.person, tool.server, result));
    return { answer, outcome: answer.outcome };
  } finally {
    clearTimeout(slow);
  }
}
