import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { describeFailure, reasonOf } from '../watch/describe-failure.ts';

export type TestEnd = 'failed' | 'needs_account' | 'cancelled';

/** Ends a test at its current step. Its last event has this message. */
export class TestEnded extends Error {
  readonly result: TestEnd;

  constructor(result: TestEnd, message: string) {
    super(message);
    this.name = 'TestEnded';
    this.result = result;
  }
}

/** Returns the server's status as users see it, with the reason for the operator. */
export function failureText(error: UpstreamError): string {
  const reason = reasonOf(error);
  const { detail } = describeFailure(error);
  return reason === '' ? detail : `${detail}: ${reason}`;
}
