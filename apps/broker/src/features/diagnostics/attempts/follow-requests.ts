import type { ConnectionStep } from '@souk/contract/diagnostics.ts';
import { isModernVersion, type GatewayEvents, type McpRequest } from '#features/gateway/index.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import { attemptKey, identifyProgram, programMark, type Failure, type RecordEvent } from './attempt-event.ts';
import { claimedName, longestClaim, programName } from './name-program.ts';
import { describeOpening, requestFailure, versionOf } from './read-request.ts';

/** Interval at which a token's steps are recorded again, which updates the last use and clears old failures. */
const repeatAfterMs = 10 * 60_000;
/** Minimum time between two recorded versions of a client that reports a new one at each start. */
const versionIntervalMs = 60_000;
const maxRemembered = 10_000;

const stepBits: readonly (readonly [ConnectionStep, number])[] = [
  ['first-request', 1],
  ['era', 2],
  ['tools-listed', 4],
  ['first-call', 8],
];
const firstRequestBit = 1;
const eraBit = 2;
const methodBits: Readonly<Record<string, number>> = {
  initialize: eraBit,
  'server/discover': eraBit,
  'tools/list': 4,
  'tools/call': 8,
};

const allBits = stepBits.reduce((all, [, bit]) => all | bit, 0);

/** The state of one attempt: bits of the steps that passed, and failures since the last step that passed. */
type Known = {
  bits: number;
  untilMs: number;
  version?: { text: string; atMs: number } | undefined;
  failed?: readonly string[];
};

/** The last attempt of one remembered caller, all of whose steps had passed. `claimed` is for personal tokens. */
type Last = { userAgent: string | undefined; claimed: unknown; known: Known };

/**
 * Follows clients at the MCP endpoints once they have a token. This is on the path of every call: for a token whose steps are
 * known, it only reads a map. The same token has the same caller object for a while.
 */
export function followRequests(options: {
  clock: Clock;
  record: RecordEvent;
  versionSeen(grantId: string, version: string): void;
}): Pick<GatewayEvents, 'requestAnswered' | 'requestServed' | 'scopeLacking'> {
  const { clock, record } = options;
  const time = elapsedTime(clock);
  const knownAttempts = new Map<string, Known>();
  const lastOf = new WeakMap<Caller, Last>();

  function remember(attempt: string, known: Known): void {
    if (knownAttempts.size >= maxRemembered) knownAttempts.clear();
    knownAttempts.set(attempt, known);
  }

  function isComplete(request: McpRequest): boolean {
    const last = lastOf.get(request.caller);
    if (!last || last.userAgent !== request.headers['user-agent']) return false;
    if (request.caller.kind === 'personal' && last.claimed !== claimedName(request)) return false;
    return last.known.bits === allBits && last.known.untilMs > time.now();
  }

  function pass(request: McpRequest, passed: number): void {
    // clients report their version when they open a session
    const isOpening = (passed & eraBit) !== 0;
    if (!isOpening && isComplete(request)) return;
    const attempt = attemptOf(request);
    const bits = passed | firstRequestBit | eraBitOf(request);
    const found = knownAttempts.get(attempt);
    const nowMs = time.now();
    const known = found && found.untilMs > nowMs ? found : undefined;
    if (known?.bits === allBits) {
      lastOf.set(request.caller, { userAgent: request.headers['user-agent'], claimed: claimedName(request), known });
    }
    const isNew = !known || (known.bits & bits) !== bits;
    const version = isNew || isOpening ? newVersion(request, known, nowMs) : undefined;
    if (!isNew && !version) return;
    remember(attempt, {
      bits: bits | (known?.bits ?? 0),
      untilMs: known?.untilMs ?? nowMs + repeatAfterMs,
      version: version ?? known?.version,
    });
    if (version && request.caller.kind !== 'personal') options.versionSeen(request.caller.tokenId, version.text);
    record({ ...identify(request), atMs: clock.now(), ...describeOpening(request), passed: stepsOf(bits) });
  }

  function fail(request: McpRequest, failure: Failure, passed: ConnectionStep[] = []): void {
    const attempt = attemptOf(request);
    const nowMs = time.now();
    const before = knownAttempts.get(attempt);
    const failed = before && before.untilMs > nowMs ? (before.failed ?? []) : [];
    const what = `${failure.step} ${failure.reason}`;
    if (failed.includes(what)) return;
    // steps that pass again are recorded again, so that the failure of a client that recovered does not stay; the failure of
    // an unnamed program counts for all named programs of the token
    for (const [key, known] of knownAttempts) {
      if (key === attempt || key.startsWith(attempt + programMark)) known.bits = 0;
    }
    remember(attempt, { bits: 0, untilMs: nowMs + repeatAfterMs, failed: [...failed, what] });
    record({ ...identify(request), atMs: clock.now(), failure, passed });
  }

  return {
    requestAnswered: (request, method) => pass(request, methodBits[method] ?? 0),

    requestServed(request, status) {
      const failure = status >= 400 ? requestFailure(request.headers, status) : undefined;
      if (failure) fail(request, failure);
      else if (status < 400) pass(request, 0);
    },

    scopeLacking(request, method, missing) {
      const step = method === 'tools/list' ? 'tools-listed' : 'first-call';
      const facts = { missing, has: request.caller.scopes.join(' ') };
      // the client reached us, and its version was not the problem
      const passed = stepsOf(firstRequestBit | eraBitOf(request));
      fail(request, { step, reason: 'insufficient-scope', facts }, passed);
    },
  };
}

/** Since 2026-07-28 each request names its version, so a served request has agreed on it. */
function eraBitOf({ headers }: McpRequest): number {
  return isModernVersion(headers['mcp-protocol-version']) ? eraBit : 0;
}

/** Identifies one token in one program. An access token belongs to one program anyway. */
function attemptOf(request: McpRequest): string {
  const { caller, headers } = request;
  if (caller.kind !== 'personal') return caller.tokenId;
  const claimed = claimedName(request);
  const program = typeof claimed === 'string' ? programMark + claimed.slice(0, longestClaim) : '';
  return `${caller.tokenId} ${headers['user-agent'] ?? ''}${program}`;
}

/** The version that a client reports, if it is new. */
function newVersion(request: McpRequest, known: Known | undefined, atMs: number): Known['version'] {
  const text = versionOf(request);
  const before = known?.version;
  if (text === '' || text === before?.text) return undefined;
  return before && atMs - before.atMs < versionIntervalMs ? undefined : { text, atMs };
}

function identify(request: McpRequest) {
  const { caller, headers } = request;
  const userAgent = cleanLabel(headers['user-agent'], 200);
  const { userId, tokenId } = caller;
  return caller.kind === 'personal'
    ? identifyProgram(caller, userAgent, programName(userAgent, claimedName(request)))
    : { key: attemptKey.grant(tokenId), userId, userAgent, clientId: caller.clientId };
}

function stepsOf(bits: number): ConnectionStep[] {
  return stepBits.filter(([, bit]) => (bits & bit) !== 0).map(([step]) => step);
}
