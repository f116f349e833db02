import { ProtocolError } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ToolAnswer, Upstream } from '#adapters/mcp/upstream.ts';
import type { FoundTarget } from '../call/call.ts';
import { presentAsResult } from '../call/present-failure.ts';
import type { CallTrace } from '#platform/telemetry/tracing.ts';
import { shutOut } from '../call/running-calls.ts';
import { runCall } from '../call/run-call.ts';
import { validated } from '../call/validated-result.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { asRefusal } from '../protocol/input-rounds/across-eras.ts';
import { refuseQuestions } from '../protocol/input-rounds/refuse-questions.ts';
import type { McpEndpoint } from '../protocol/mcp-endpoint.ts';
import type { IdentityOf } from '../protocol/server-identity.ts';
import type { RequestContext } from '../view/request-context.ts';
import type { Visible } from '../view/visible.ts';
import { OpenCall } from './open-call.ts';
import { readCall, recogniseLegacy, recogniseModern } from './recognise-call.ts';
import type { SessionCalls } from './session-calls.ts';
import { write, type Reply } from './write-answer.ts';

export type FastPath = ReturnType<typeof createFastPath>;

/**
 * The fast path for tool calls, which are nearly all of the traffic: node:http in, then run-call, and the server's answer
 * is passed on unchanged.
 */
export function createFastPath(
  identityOf: IdentityOf,
  parts: GatewayParts,
  endpoint: Pick<McpEndpoint, 'handle' | 'sessions'>,
) {
  const { keepAlive, publicUrl, howToGet } = parts;
  const ofCall = { endpoint, keepAlive, publicUrl, howToGet };

  async function answer(open: OpenCall): Promise<void> {
    const { call, signal } = open;
    const { reply } = open.cameIn;
    open.running = runCall(open, parts, (upstream, target, _signal, trace) =>
      validated(dispatch(upstream, target, open, trace), target, parts),
    );
    try {
      const end = await open.running;
      if (open.isHandedOver) return await open.handOver();
      // a request that its client canceled gets no answer (2025-11-25, basic/utilities/cancellation)
      if (signal.aborted && signal.reason !== shutOut) return write.nothing(reply);
      if (end.kind === 'answered' && end.answer.kind !== 'input_required') {
        return write.result(reply, call, end.answer, end.receipt);
      }
      // its stream is open, and this client cannot be asked
      if (end.kind === 'answered' && end.answer.kind === 'input_required' && reply.response.headersSent) {
        const refused = refuseQuestions(end.answer.questions);
        return refused instanceof ProtocolError
          ? write.error(reply, call, refused)
          : write.failure(reply, call, refused);
      }
      // the SDK handles another round, and sends our own question to a client that can be asked
      if (end.kind === 'answered' || call.isInteractive) return await open.handOver();
      write.failure(reply, call, presentAsResult(end, parts));
    } catch (error) {
      await answerError(error, open, parts);
    } finally {
      open.end();
    }
  }

  function serveModern(open: OpenCall): Promise<void> {
    const { response } = open.cameIn.reply;
    // in this era a client cancels by closing the stream (2026-07-28, basic/utilities/cancellation)
    response.on('close', () => {
      if (!response.writableFinished) open.signal.abort();
    });
    return answer(open);
  }

  function serveLegacy(open: OpenCall, calls: SessionCalls): Promise<void> {
    const { call, cameIn } = open;
    open.entry = calls.begin(call.id, open.signal);
    if (open.entry) return answer(open);
    write.idInUse(cameIn.reply, call);
    return Promise.resolve();
  }

  return {
    /**
     * Serves the request if it can take the fast path; otherwise leaves it untouched. The call is recorded under `id`, the
     * request's id; `headers` are sent with every answer.
     */
    serve(
      request: IncomingMessage,
      response: ServerResponse,
      { caller, serverId, request: mcpRequest }: RequestContext,
      visible: Visible,
      body: unknown,
      { id, headers }: Pick<Reply, 'id' | 'headers'>,
    ): Promise<void> | undefined {
      const message = readCall(request.headers, body);
      if (!message) return undefined;
      const modern = recogniseModern(request.headers, message, visible);
      if (modern) {
        const context = { caller, serverId, request: mcpRequest, capabilities: modern.clientCapabilities };
        const reply = { id, response, headers, identity: identityOf(serverId) };
        const cameIn = { request, body, context, reply, client: `${caller.tokenId}/` };
        return serveModern(new OpenCall(modern, cameIn, ofCall));
      }
      const calls = endpoint.sessions.enterCall(request.headers['mcp-session-id'], { caller, serverId });
      if (!calls?.capabilities) return undefined;
      const legacy = recogniseLegacy(request.headers, message, visible, calls.capabilities);
      if (!legacy) return undefined;
      if (mcpRequest) mcpRequest.program = calls.program;
      const context = { caller, serverId, request: mcpRequest, capabilities: legacy.clientCapabilities };
      const ownHeaders = { ...headers, 'mcp-session-id': calls.sessionId };
      const reply = { id, response, headers: ownHeaders, identity: identityOf(serverId) };
      const cameIn = { request, body, context, reply, client: `${caller.tokenId}/${calls.sessionId}` };
      return serveLegacy(new OpenCall(legacy, cameIn, ofCall), calls);
    },
  };
}

async function answerError(error: unknown, open: OpenCall, { log }: Pick<GatewayParts, 'log'>): Promise<void> {
  const { call, cameIn } = open;
  const { reply } = cameIn;
  if (open.isHandedOver || (call.isInteractive && !reply.response.destroyed)) return open.handOver();
  if (error instanceof ProtocolError) {
    const refused = asRefusal(error, call.era);
    return refused ? write.failure(reply, call, refused) : write.error(reply, call, error);
  }
  log.error({ err: error }, 'a call of the fast path failed');
  write.error(reply, call, new ProtocolError(-32_603, 'Internal error'));
}

function dispatch(
  upstream: Upstream,
  { name }: FoundTarget,
  open: OpenCall,
  trace: CallTrace | undefined,
): Promise<ToolAnswer> {
  const { arguments: given, meta } = open.call;
  return upstream.callTool({ name, ...(given && { arguments: given }), _meta: trace ? trace.carry(meta) : meta }, open);
}
