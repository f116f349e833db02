import type { IncomingHttpHeaders } from 'node:http';

export type TracedCall = {
  /** The id of its usage row. */
  id: string;
  /** The MCP method: tools/call, prompts/get, resources/read. */
  method: string;
  /** `_meta` of the client's message, in which MCP carries a trace (SEP-414). */
  meta: Readonly<Record<string, unknown>> | undefined;
  /** Headers of its HTTP request, which carry a trace if `_meta` has none. */
  headers: IncomingHttpHeaders | undefined;
};

/** The steps of a call: waiting for a place at the server, the hold of its price, the exchange with the server. */
export type CallStep = 'admit' | 'hold' | 'exchange';

/** The span of a call. It never contains arguments, the result or the user. */
export type CallTrace = {
  /** Names the server, and the tool, prompt or resource as the server calls it. */
  found(serverId: string | undefined, name: string): void;
  /** Begins a step, and ends the previous one. */
  step(step: CallStep): void;
  /** Returns `_meta` for the server: the client's, with the current step as the parent of the server's spans. */
  carry(meta: Readonly<Record<string, unknown>> | undefined): Record<string, unknown>;
  end(outcome: string, reason: string | undefined, credits: number): void;
};

/** Traces calls. Without tracing this object does not exist, and a client's trace passes through unchanged. */
export type Tracing = { begin(call: TracedCall): CallTrace };
