import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Refusal, UsageRow } from '#features/billing/index.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { needsOwnSecrets } from '#features/upstreams/index.ts';
import type { Receipt } from '#platform/own-meta.ts';
import { failureCode, type CallFailureCode, type FailureFacts } from './call-failure.ts';

/** The facts that a dispatcher reports about an answer, without interpretation. */
export type AnswerFacts = { readonly kind: 'complete' | 'tool_error' | 'input_required' };

export type CallEnd<Answer extends AnswerFacts> =
  /** `receipt` is present if the tool has a price. */
  { kind: 'answered'; answer: Answer; receipt?: Receipt | undefined } | NoAnswer;

export type NoAnswer =
  /** The server's own JSON-RPC error. */
  | { kind: 'protocol_error'; error: UpstreamError; server: CatalogueServer }
  | CallFailure
  /** Billing refused to reserve the price. */
  | (Omit<Refusal, 'kind'> & { kind: 'hold_refused'; server: CatalogueServer });

export type CallFailure = Pick<FailureFacts, 'name' | 'asks' | 'cause' | 'retryAfterMs'> & {
  kind: 'failure';
  code: CallFailureCode;
  wasDispatched: boolean;
  /** Undefined when no server was found. */
  server: CatalogueServer | undefined;
  /** The name of a server that was undeployed. */
  former?: string | undefined;
};

export type Outcome = { outcome: UsageRow['outcome']; reason: string | undefined };

/** The one place that maps a call's end to its outcome, which the usage row and the hold follow. */
export function outcomeOf(end: CallEnd<AnswerFacts>): Outcome {
  switch (end.kind) {
    case 'answered':
      return ofAnswer[end.answer.kind];
    case 'protocol_error':
      return { outcome: 'error', reason: 'protocol_error' };
    case 'hold_refused':
      return { outcome: 'refused', reason: end.code };
    case 'failure':
      return ofFailure(end);
  }
}

/** The call's end for an UpstreamError; undefined for every other error, which is our own fault. */
export function endOf(
  error: unknown,
  { server, name }: { server: CatalogueServer; name: string },
  { cancelled, wasDispatched }: { cancelled: 'cancelled' | 'stopped' | undefined; wasDispatched: boolean },
): NoAnswer | undefined {
  if (!(error instanceof UpstreamError)) return undefined;
  const code = cancelled ?? failureCode(error);
  if (code === undefined) return { kind: 'protocol_error', error, server };
  const wasSent = wasDispatched && !error.wasUnsent;
  return {
    kind: 'failure',
    code,
    wasDispatched: wasSent,
    server,
    name,
    cause: error,
    retryAfterMs: error.retryAfterMs,
  };
}

/** The outcome of a call that our own fault ended. */
export const unexpected: Outcome = { outcome: 'failed', reason: 'unexpected' };

const ofAnswer: Readonly<Record<AnswerFacts['kind'], Outcome>> = {
  complete: { outcome: 'ok', reason: undefined },
  tool_error: { outcome: 'error', reason: 'tool_error' },
  input_required: { outcome: 'refused', reason: 'input_required' },
};

function ofFailure({ code, wasDispatched, cause, server }: CallFailure): Outcome {
  if (code === 'stopped') return { outcome: 'cancelled', reason: code };
  if (code === 'cancelled') return { outcome: 'cancelled', reason: wasDispatched ? code : 'not_dispatched' };
  // the caller may have made the program exceed its limits, so this must not count in the server's record
  const reason = cause?.kind === 'over_limit' ? 'over_limit' : code;
  return { outcome: wasDispatched && !userMustFix(code, server) ? 'failed' : 'refused', reason };
}

/** Whether only the user can fix the failure: then the server is not at fault. */
function userMustFix(code: CallFailureCode, server: CatalogueServer | undefined): boolean {
  if (code === 'sign_in_required') return server !== undefined && needsOwnSecrets(server);
  return code === 'storage_full';
}
