import type { CallerSignal, Upstream } from '#adapters/mcp/upstream.ts';
import type { Hold, Refusal } from '#features/billing/index.ts';
import { needsTask } from '#features/catalogue/index.ts';
import { canAnswer } from '#features/upstreams/index.ts';
import type { CallTrace } from '#platform/telemetry/tracing.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { RequestContext } from '../view/request-context.ts';
import { unanswered, type Call, type FoundTarget, type Target, type UnknownTarget } from './call.ts';
import { endOf, outcomeOf, unexpected, type AnswerFacts, type CallEnd, type CallFailure } from './outcome.ts';
import { stopped } from './open-questions.ts';
import { findPriceRise } from './price-raised.ts';
import { rowOf } from './record-call.ts';
import { monotonicMs } from '#platform/clock.ts';
import { chargingUnavailable } from './call-failure.ts';
import { shutOut } from './running-calls.ts';
import { admit, exchange, leaveAfter, type Admission } from './with-upstream.ts';

/**
 * Sends a call over an upstream connection and reports the facts of its answer.
 * @param signal the call's own, or one that aborts with it
 * @param trace adds itself to the `_meta` that the server gets; undefined if calls are not traced
 * @throws UpstreamError
 */
type Dispatch<Answer extends AnswerFacts> = (
  upstream: Upstream,
  target: FoundTarget,
  signal: CallerSignal,
  trace: CallTrace | undefined,
) => Promise<Answer>;

type CallParts = Pick<
  GatewayParts,
  | 'answered'
  | 'callRate'
  | 'charges'
  | 'clock'
  | 'formerServer'
  | 'isStopping'
  | 'log'
  | 'pool'
  | 'priceRises'
  | 'riseUrl'
  | 'runningCalls'
  | 'tracing'
  | 'unread'
>;

const methods: Readonly<Record<Call['kind'], string>> = {
  tool: 'tools/call',
  prompt: 'prompts/get',
  resource: 'resources/read',
};

/**
 * Runs every call, and alone decides its outcome:
 * resolve -> within the rate -> entitled -> its price approved -> admitted by the server's breaker and queue -> hold -> dispatch ->
 * settle or release -> record. The caller presents the end. Admission comes before the hold, so that a busy or failing server
 * costs no durable write.
 * @throws any error other than an UpstreamError: our own fault, recorded as one
 */
export async function runCall<Answer extends AnswerFacts>(
  call: Call,
  parts: CallParts,
  dispatch: Dispatch<Answer>,
): Promise<CallEnd<Answer>> {
  const { signal, leave } = parts.runningCalls.begin(call.context.caller.userId, call.signal);
  try {
    return await runUntil(signal, call, parts, dispatch);
  } finally {
    leave();
  }
}

async function runUntil<Answer extends AnswerFacts>(
  signal: CallerSignal,
  call: Call,
  parts: CallParts,
  dispatch: Dispatch<Answer>,
): Promise<CallEnd<Answer>> {
  const { context } = call;
  const startedAtMs = monotonicMs(parts.clock);
  const trace = beginTrace(call, parts);
  const resolved = call.resolve();
  const target = resolved instanceof Promise ? await resolved : resolved;
  // otherwise the name is the client's own text
  if ('server' in target) trace?.found(target.server.id, target.name);
  const refusal = refuse(call, target, parts);
  if (refusal || target.kind !== 'found') {
    return finish(await nameFormerServer(refusal ?? failure('unknown', target), call, parts), undefined);
  }

  const rise = findPriceRise(call, target, parts);
  const unapproved = rise instanceof Promise ? await rise : rise;
  if (unapproved) {
    call.logical.priceRise = unapproved.rise;
    return finish({ ...unapproved.refusal, kind: 'hold_refused', server: target.server }, undefined);
  }

  let admission: Admission | undefined;
  let hold: Hold | undefined;
  let wasDispatched = false;
  let wasSent = false;
  let end: CallEnd<Answer>;
  try {
    trace?.step('admit');
    const admitted = admit(target.server, context, parts.pool, signal);
    admission = admitted instanceof Promise ? await admitted : admitted;
    trace?.step('hold');
    const reserved = reserve(call, target, parts);
    const taken =
      reserved instanceof Promise ? await reserved.catch((error) => refuseUnreserved(error, parts)) : reserved;
    if (taken?.kind === 'refusal') {
      // the server was not contacted: free its place and its probe
      admission.leave('cancelled');
      return finish({ ...taken, kind: 'hold_refused', server: target.server }, undefined);
    }
    hold = taken;
    wasDispatched = true;
    trace?.step('exchange');
    const answer = await exchange(target, context, parts.pool, (upstream) => {
      wasSent = !signal.aborted;
      return dispatch(upstream, target, signal, trace);
    });
    admission.leave(undefined);
    end = { kind: 'answered', answer };
  } catch (error) {
    if (admission) leaveAfter(error, admission, signal);
    const isCancelled = signal.aborted;
    const why = signal.reason === stopped ? 'stopped' : 'cancelled';
    const failed = endOf(error, target, {
      cancelled: isCancelled ? why : undefined,
      wasDispatched: isCancelled ? wasSent : wasDispatched,
    });
    if (!failed) {
      hold?.release('unexpected');
      trace?.end(unexpected.outcome, unexpected.reason, 0);
      parts.charges.record(rowOf(call, target, { ...unexpected, credits: 0 }, startedAtMs, parts.clock));
      throw error;
    }
    end = failed;
  }
  return finish(end, hold);

  function finish(callEnd: CallEnd<Answer>, held: Hold | undefined): CallEnd<Answer> | Promise<CallEnd<Answer>> {
    const isAborted = isAbort(callEnd, signal, parts);
    const isDue = held !== undefined && (isAborted || isCharged(callEnd, target));
    const isPaid = isDue && !held.isLost;
    const outcome = isDue && !isPaid ? { ...outcomeOf(callEnd), reason: 'lease_lost' } : outcomeOf(callEnd);
    const credits = isPaid ? held.credits : 0;
    trace?.end(outcome.outcome, outcome.reason, credits);
    const row = rowOf(call, target, { ...outcome, credits }, startedAtMs, parts.clock);
    let written: Promise<void> | undefined;
    if (isPaid && isAborted) held.settleAbort(row);
    else if (isPaid) written = held.settle(row);
    else {
      held?.release(outcome.reason ?? outcome.outcome);
      parts.charges.record(row);
    }
    const hasResult = callEnd.kind === 'answered' && callEnd.answer.kind !== 'input_required';
    if (hasResult) parts.answered(context.request, methods[call.kind]);
    const isCharging = hasResult && held?.available !== undefined;
    const withReceipt = isCharging ? { ...callEnd, receipt: { charged: credits, available: held.available } } : callEnd;
    return written ? written.then(() => withReceipt) : withReceipt;
  }
}

function beginTrace(
  { logical, context, kind, meta }: Pick<Call, 'logical' | 'context' | 'kind' | 'meta'>,
  { tracing }: Pick<CallParts, 'tracing'>,
): CallTrace | undefined {
  return tracing?.begin({ id: logical.id, method: methods[kind], meta, headers: context.request?.headers });
}

/** Only a complete result is charged; one with isError only if the server's manifest says so. */
function isCharged(end: CallEnd<AnswerFacts>, target: Target): boolean {
  if (end.kind !== 'answered') return false;
  if (end.answer.kind === 'complete') return true;
  const chargesErrors = target.kind === 'found' && target.server.manifest.billing?.chargeOnErrors;
  return end.answer.kind === 'tool_error' && chargesErrors === true;
}

/**
 * Whether the client hung up while the server worked. It does not count if the broker stops, a question was not answered or
 * the user was shut out.
 */
function isAbort(end: CallEnd<AnswerFacts>, signal: CallerSignal, { isStopping }: CallParts): boolean {
  if (end.kind !== 'failure' || end.code !== 'cancelled' || !end.wasDispatched) return false;
  return !isStopping() && signal.reason !== unanswered && signal.reason !== shutOut;
}

/** Runs a call of a built-in tool, which the gateway answers itself. Free of charge. */
export async function runBuiltIn<Answer extends AnswerFacts>(
  call: Omit<Call, 'resolve'> & { name: string },
  parts: CallParts,
  answer: () => Promise<Answer>,
): Promise<CallEnd<Answer>> {
  const startedAtMs = monotonicMs(parts.clock);
  const trace = beginTrace(call, parts);
  trace?.found(undefined, call.name);
  const target: UnknownTarget = { kind: 'unknown', name: call.name };
  const record = (outcome: ReturnType<typeof outcomeOf>) => {
    trace?.end(outcome.outcome, outcome.reason, 0);
    parts.charges.record(rowOf(call, target, { ...outcome, credits: 0 }, startedAtMs, parts.clock));
  };
  const limited = limit(call.context, target, parts);
  try {
    const end = limited ?? { kind: 'answered' as const, answer: await answer() };
    record(outcomeOf(end));
    // an error of a built-in tool is our own refusal
    if (end.kind === 'answered' && end.answer.kind === 'complete') parts.answered(call.context.request, methods.tool);
    return end;
  } catch (error) {
    record(unexpected);
    throw error;
  }
}

/** Names the undeployed server of an unknown tool or prompt, if this user rented or used it. */
async function nameFormerServer(
  failed: CallFailure,
  { kind, context: { caller, serverId } }: Call,
  { formerServer, log }: CallParts,
): Promise<CallFailure> {
  if (failed.code !== 'unknown' || kind === 'resource') return failed;
  const wanted = serverId === undefined ? { exposedName: failed.name } : { id: serverId };
  try {
    const former = await formerServer(caller.userId, wanted);
    return former === undefined ? failed : { ...failed, code: 'undeployed', former };
  } catch (error) {
    log.warn({ err: error }, 'an undeployed server could not be looked up');
    return failed;
  }
}

/** Checks the rate first: every call counts towards the limit. */
function refuse(call: Call, target: Target, parts: CallParts): CallFailure | undefined {
  const limited = limit(call.context, target, parts);
  if (limited) return limited;
  if (parts.unread.isFull(call.context.caller.userId)) return failure('busy', target);
  switch (target.kind) {
    case 'unknown':
      return failure('unknown', target);
    case 'hidden':
      return failure(target.why, target);
    case 'found':
      if (target.tool && needsTask(target.tool)) return failure('needs_task', target);
      if (target.tool?.underReview) return failure('tool_changed', target);
      return refuseUnanswerable(call.context, target);
  }
}

/** Refuses a tool whose questions this client cannot answer: its server would not list it to this client. */
function refuseUnanswerable({ capabilities }: RequestContext, target: FoundTarget): CallFailure | undefined {
  const asks = target.tool?.asks;
  if (asks === undefined || canAnswer(capabilities, asks)) return undefined;
  return { ...failure('client_cannot', target), asks };
}

function limit(context: RequestContext, target: Target, { callRate }: CallParts): CallFailure | undefined {
  const retryAfterMs = callRate.take(context.caller);
  return retryAfterMs > 0 ? { ...failure('rate_limited', target), retryAfterMs } : undefined;
}

/** Only tools cost credits. A later round costs the same as the first, even if the price has changed. */
function reserve(
  { logical, context: { caller } }: Call,
  { server, name, tool }: FoundTarget,
  { charges }: CallParts,
): Hold | Refusal | undefined | Promise<Hold | Refusal> {
  if (!tool) return undefined;
  const credits = (logical.credits ??= tool.creditCost);
  const isContinued = logical.answers !== undefined;
  return charges.hold({
    callId: logical.id,
    userId: caller.userId,
    serverId: server.id,
    tool: name,
    credits,
    isContinued,
  });
}

/** Refuses the call if its price cannot be reserved, because the database is unreachable or full. */
function refuseUnreserved(error: unknown, { log }: CallParts): Refusal {
  log.error({ err: error }, 'a hold could not be written: the call is refused');
  return { kind: 'refusal', code: 'charging_unavailable', text: chargingUnavailable };
}

function failure(code: CallFailure['code'], target: Target): CallFailure {
  const server = 'server' in target ? target.server : undefined;
  return { kind: 'failure', code, wasDispatched: false, server, name: target.name };
}
