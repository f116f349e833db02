import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { ConnectionStep } from '@souk/contract/connection-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import { describeOpening, isModernVersion, requestFailure } from './read-request.ts';
import { attemptKey, cleanLabel, type ConnectionEvent, type Failure } from './connection-event.ts';

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

/** Of a tools/call: that there was a request, and that it was a call. */
const callBits = 1 | 8;

/**
 * Follows what clients do at the MCP endpoints once they have a token. On the path of every call: for a token whose steps
 * are known it is one look into a map, and never a write.
 */
export function createRequestTrace(options: { clock: Clock; record(event: ConnectionEvent): void }) {
  const { clock, record } = options;
  const noted = new Map<string, { bits: number; untilMs: number; reason?: string }>();

  function remember(attempt: string, entry: { bits: number; untilMs: number; reason?: string }): void {
    if (noted.size >= maxRemembered) noted.clear();
    noted.set(attempt, entry);
  }

  function fail(caller: Caller, request: FastifyRequest, failure: Failure): void {
    const attempt = attemptOf(caller, request);
    const before = noted.get(attempt);
    const nowMs = clock.now();
    if (before?.reason === failure.reason && before.untilMs > nowMs) return;
    // What passed before is noted anew when it passes again: a failure must not stand for a client that recovered.
    remember(attempt, { bits: 0, untilMs: nowMs + repeatAfterMs, reason: failure.reason });
    record({ ...identify(caller, request), atMs: nowMs, failure });
  }

  return {
    fail,

    isCallKnown(caller: Caller, headers: IncomingHttpHeaders): boolean {
      const known = noted.get(attemptOf(caller, { headers }));
      const bits = callBits | (isModernVersion(headers['mcp-protocol-version']) ? 2 : 0);
      return known !== undefined && known.untilMs > clock.now() && (known.bits & bits) === bits;
    },

    /** After a request of `caller` was answered with `status`; `methods` are those of its body. */
    served(caller: Caller, request: FastifyRequest, status: number, methods: readonly string[], body: unknown): void {
      if (status >= 400) {
        const failure = requestFailure(request, status);
        if (failure) fail(caller, request, failure);
        return;
      }
      const attempt = attemptOf(caller, request);
      let bits = 1 | (isModernVersion(request.headers['mcp-protocol-version']) ? 2 : 0);
      for (const method of methods) bits |= methodBits[method] ?? 0;
      const before = noted.get(attempt);
      const nowMs = clock.now();
      const known = before && before.untilMs > nowMs ? before : undefined;
      if (known && (known.bits & bits) === bits) return;
      remember(attempt, { bits: bits | (known?.bits ?? 0), untilMs: known?.untilMs ?? nowMs + repeatAfterMs });
      record({
        ...identify(caller, request),
        atMs: nowMs,
        ...describeOpening(request, body, caller.kind === 'personal'),
        passed: stepsOf(bits),
      });
    },
  };
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
