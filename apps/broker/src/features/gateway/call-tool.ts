import {
  isInputRequiredResult,
  ProtocolError,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type Tool,
} from '@modelcontextprotocol/server';
import type { Upstream } from '#adapters/mcp/types.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { withSignInLink } from './ask-sign-in.ts';
import { failureCode, failureResult, rateLimited, type CallFailureCode } from './call-failure.ts';
import { callOptions, type CallRequest } from './call-request.ts';
import { holdCredits, settle } from './charge.ts';
import { exposeLinks } from './expose-links.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { visibleTo, type Found, type Person } from './person.ts';
import { recordCall, type Outcome } from './record-call.ts';
import { needsTask } from './task-support.ts';
import { withUpstream, type CallerSignal } from './with-upstream.ts';

/**
 * One tool call over the SDK, from the name that a client knows to the answer that it gets.
 * Answers a result in every case that a model can do something about (isError with a code in _meta).
 * @throws ProtocolError -32602 for a tool that this person cannot see, whatever the reason; an upstream's own
 *   JSON-RPC error with its code, message and data
 */
export async function callTool(
  request: CallRequest<CallToolRequest['params']>,
  parts: GatewayParts,
): Promise<CallToolResult | InputRequiredResult> {
  const tool = await resolveTool(request, parts);
  return carryOut({ ...request, tool }, parts, async (upstream) => {
    const params = { ...request.params, name: tool.item.name };
    const answer = await upstream.callTool(params, {
      ...callOptions(request, tool.server),
      // The catalogue holds what the upstream itself listed; only texts were cleaned.
      toolDefinition: tool.item.definition as Tool,
    });
    const shown = isInputRequiredResult(answer) ? answer : exposeLinks(request.person, tool.server, answer);
    return { answer: shown, outcome: outcomeOf(answer) };
  });
}

async function resolveTool(request: CallRequest<CallToolRequest['params']>, parts: GatewayParts): Promise<Found> {
  const visible = await visibleTo(request.person, parts.catalogue.snapshot(), parts.access);
  const tool = visible.tool(request.params.name);
  // One wording for unknown, switched off and not owned: whether a tool exists is nobody's business.
  if (!tool) throw new ProtocolError(-32602, `Unknown tool: ${request.params.name}`);
  return tool;
}

/** A call that this person may make: the tool was found among those that they see. */
export type AllowedCall = {
  /** Under which it is recorded; a new one where the caller has none. */
  id?: string;
  person: Person;
  tool: Found;
  signal: CallerSignal;
};

/** Sends an allowed call over an open connection and says what became of it. @throws UpstreamError */
export type Dispatch<Answer> = (upstream: Upstream) => Promise<{ answer: Answer; outcome: Outcome }>;

/**
 * The rules of every tool call, whichever way it is dispatched: within the rate -> hold -> dispatch -> settle -> log.
 * @returns the dispatcher's answer, or a result that says why there is none
 * @throws ProtocolError an upstream's own JSON-RPC error
 */
export async function carryOut<Answer>(
  call: AllowedCall,
  parts: GatewayParts,
  dispatch: Dispatch<Answer>,
): Promise<Answer | CallToolResult> {
  const { person, tool } = call;
  const startedAtMs = parts.clock.now();
  const called = { id: call.id, server: tool.server, kind: 'tool' as const, name: tool.item.name };

  if (needsTask(tool.item)) {
    throw new ProtocolError(-32601, `${tool.item.name} runs as a task only, which is not offered here`);
  }
  if (tool.item.held) {
    recordCall(person, called, { outcome: 'refused', reason: 'tool_changed' }, startedAtMs, parts);
    return failureResult('tool_changed', tool.server.manifest.name);
  }
  if (!parts.withinRate(person.caller)) {
    recordCall(person, called, { outcome: 'refused', reason: 'rate_limited' }, startedAtMs, parts);
    return rateLimited(tool.server.manifest.name, parts.retryAfterSeconds(person.caller));
  }
  const hold = await holdCredits(person.caller, tool.item);
  const finish = (outcome: Outcome) => {
    const credits = settle(hold, outcome);
    recordCall(person, called, { ...outcome, credits }, startedAtMs, parts);
  };
  try {
    const { answer, outcome } = await withUpstream(tool.server, person, parts, dispatch, call.signal);
    finish(outcome);
    return answer;
  } catch (error) {
    return withSignInLink(failed(error, call, tool.server, finish), tool.server, parts);
  }
}

function outcomeOf(result: CallToolResult | InputRequiredResult): Outcome {
  if (isInputRequiredResult(result)) return { outcome: 'refused', reason: 'input_required' };
  return result.isError ? { outcome: 'error', reason: 'tool_error' } : { outcome: 'ok', reason: undefined };
}

function failed(
  error: unknown,
  call: AllowedCall,
  server: CatalogueServer,
  finish: (outcome: Outcome) => void,
): CallToolResult {
  if (!(error instanceof UpstreamError)) {
    finish({ outcome: 'failed', reason: 'unexpected' });
    throw error;
  }
  const code: CallFailureCode | undefined = call.signal.aborted ? 'cancelled' : failureCode(error);
  if (code === undefined) {
    finish({ outcome: 'error', reason: 'protocol_error' });
    throw new ProtocolError(error.code ?? -32603, error.message, error.data);
  }
  finish({ outcome: code === 'cancelled' ? 'cancelled' : 'failed', reason: code });
  return failureResult(code, server.manifest.name, error);
}
