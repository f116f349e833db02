import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { describeFailure, reasonOf } from '../watch/describe-failure.ts';

/** Why a test ended early. */
export type TestEnd = 'failed' | 'needs_account' | 'cancelled';

/** Ends a test at the step that it is at. The message is what its last event says. */
export class TestEnded extends Error {
  readonly result: TestEnd;

  constructor(result: TestEnd, message: string) {
    super(message);
    this.name = 'TestEnded';
    this.result = result;
  }
}

/** What people see as the server's status, and what an operator reads beside it. */
export function failureText(error: UpstreamError): string {
  const reason = reasonOf(error);
  const { detail } = describeFailure(error);
  return reason === '' ? detail : `${detail}: ${reason}`;
}
