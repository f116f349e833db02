import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ConnectionStep } from '@souk/contract/connection-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import { describeOpening, isModernVersion, requestFailure } from './read-request.ts';
import { attemptKey, cleanLabel, type ConnectionEvent, type Failure } from './connection-event.ts';
import { watchAnswer } from './watch-answer.ts';

/** What was noted of a token is noted again after this long: it heals what a failure left behind, and tells the last use. */
const repeatAfterMs = 10 * 60_000;
const maxRemembered = 10_000;

const stepBits: Partial<Record<ConnectionStep, number>> = {
  'first-request': 1,
  era: 2,
  'tools-listed': 4,
  'first-call': 8,
};
const methodBits: Readonly<Record<string, number>> = {
  initialize: 2,
  'server/discover': 2,
  'tools/list': 4,
  'tools/call': 8,
};

const firstRequestBit = 1;
/** Of a tools/call: that there was a request, and that it was a call. */
const callBits = firstRequestBit | 8;

/** Of one attempt: bits of the steps that passed, and what failed since one passed. */
type Noted = { bits: number; untilMs: number; failed?: readonly string[] };

/**
 * Follows what clients do at the MCP endpoints once they have a token. On the path of every call: for a token whose steps
 * are known it is one look into a map, and never a write.
 */
export function createRequestTrace(options: { clock: Clock; record(event: ConnectionEvent): void }) {
  const { clock, record } = options;
  const noted = new Map<string, Noted>();

  function remember(attempt: string, entry: Noted): void {
    if (noted.size >= maxRemembered) noted.clear();
    noted.set(attempt, entry);
  }

  function fail(caller: Caller, request: FastifyRequest, failure: Failure, passed: ConnectionStep[] = []): void {
    const attempt = attemptOf(caller, request);
    const nowMs = clock.now();
    const before = noted.get(attempt);
    const failed = before && before.untilMs > nowMs ? (before.failed ?? []) : [];
    const what = `${failure.step} ${failure.reason}`;
    if (failed.includes(what)) return;
    // What passed before is noted anew when it passes again: a failure must not stand for a client that recovered.
    remember(attempt, { bits: 0, untilMs: nowMs + repeatAfterMs, failed: [...failed, what] });
    record({ ...identify(caller, request), atMs: nowMs, failure, passed });
  }

  function isKnown(attempt: string, bits: number): boolean {
    const known = noted.get(attempt);
    return known !== undefined && known.untilMs > clock.now() && (known.bits & bits) === bits;
  }

  function pass(caller: Caller, request: FastifyRequest, passed: number, body: unknown): void {
    const attempt = attemptOf(caller, request);
    const bits = passed | eraBitOf(request.headers);
    if (isKnown(attempt, bits)) return;
    const before = noted.get(attempt);
    const nowMs = clock.now();
    const known = before && before.untilMs > nowMs ? before : undefined;
    remember(attempt, { bits: bits | (known?.bits ?? 0), untilMs: known?.untilMs ?? nowMs + repeatAfterMs });
    record({
      ...identify(caller, request),
      atMs: nowMs,
      ...describeOpening(request, body, caller.kind === 'personal'),
      passed: stepsOf(bits),
    });
  }

  return {
    /** A good token lacks the scope of what it asked for: it came, and its version was not what was wrong. */
    lacksScope(caller: Caller, request: FastifyRequest, failure: Failure): void {
      fail(caller, request, failure, stepsOf(firstRequestBit | eraBitOf(request.headers)));
    },

    isCallKnown: (caller: Caller, headers: IncomingHttpHeaders): boolean =>
      isKnown(attemptOf(caller, { headers }), callBits | eraBitOf(headers)),

    /** Before a request of `caller` is served: what it asks for counts once it is answered with a result. */
    follow(
      caller: Caller,
      request: FastifyRequest,
      response: ServerResponse,
      methods: readonly string[],
      body: unknown,
    ) {
      const bits = bitsOf(methods);
      if (bits === 0 || isKnown(attemptOf(caller, request), bits)) return;
      watchAnswer(response, body, (answered) => pass(caller, request, firstRequestBit | bitsOf(answered), body));
    },

    /** After a request of `caller` was answered with `status`. */
    served(caller: Caller, request: FastifyRequest, status: number, body: unknown): void {
      if (status >= 400) {
        const failure = requestFailure(request, status);
        if (failure) fail(caller, request, failure);
        return;
      }
      pass(caller, request, firstRequestBit, body);
    },
  };
}

function bitsOf(methods: readonly string[]): number {
  let bits = 0;
  for (const method of methods) bits |= methodBits[method] ?? 0;
  return bits;
}

/** Since 2026-07-28 each request names its version: one that is served has agreed on it. */
function eraBitOf(headers: IncomingHttpHeaders): number {
  return isModernVersion(headers['mcp-protocol-version']) ? 2 : 0;
}

/** One token in one program; access tokens are of one program by themselves. */
function attemptOf(caller: Caller, request: Pick<FastifyRequest, 'headers'>): string {
  return caller.kind === 'personal' ? `${caller.tokenId} ${request.headers['user-agent'] ?? ''}` : caller.tokenId;
}

function identify(caller: Caller, request: FastifyRequest) {
  const userAgent = cleanLabel(request.headers['user-agent']);
  const { userId, tokenId } = caller;
  return caller.kind === 'personal'
    ? { key: attemptKey.personalToken(tokenId, userAgent), userId, userAgent }
    : { key: attemptKey.grant(tokenId), userId, userAgent, clientId: caller.clientId };
}

function stepsOf(bits: number): ConnectionStep[] {
  const steps: ConnectionStep[] = ['first-request', 'era', 'tools-listed', 'first-call'];
  return steps.filter((step) => (bits & (stepBits[step] ?? 0)) !== 0);
}
