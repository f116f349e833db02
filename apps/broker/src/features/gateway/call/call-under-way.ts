import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { LogicalCall } from './call.ts';
import type { CallRequest } from './call-request.ts';

/** A call that is already running when the SDK's server takes over its answer. */
export type CallUnderWay = {
  readonly logical: LogicalCall;
  /**
   * Returns the call's result. From now on questions, notices and cancellation go through this request. Undefined the
   * second time: the SDK's server is then running another round.
   */
  take(request: CallRequest<unknown>): Promise<CallToolResult | InputRequiredResult> | undefined;
};
