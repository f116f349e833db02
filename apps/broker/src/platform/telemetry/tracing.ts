import type { IncomingHttpHeaders } from 'node:http';

/** A call when it begins. */
export type TracedCall = {
  /** The id of its row in the usage. */
  id: string;
  /** The MCP method: tools/call, prompts/get, resources/read. */
  method: string;
  /** `_meta` of the client's message, where MCP carries a trace (SEP-414). */
  meta: Readonly<Record<string, unknown>> | undefined;
  /** Headers of its HTTP request, which carry a trace where `_meta` has none. */
  headers: IncomingHttpHeaders | undefined;
};

/** The part of a call that takes time: a place at the server, the hold of its price, the exchange with the server. */
export type CallStep = 'admit' | 'hold' | 'exchange';

/** The span of one call. Its arguments, its result and its person are never part of it. */
export type CallTrace = {
  /** Names the server, and the tool, prompt or resource as the server calls it. */
  found(serverId: string | undefined, name: string): void;
  /** Begins a step, which ends the step before. */
  step(step: CallStep): void;
  /** `_meta` for the server: the client's, with the step under way as the parent of what the server does. */
  carry(meta: Readonly<Record<string, unknown>> | undefined): Record<string, unknown>;
  end(outcome: string, reason: string | undefined, credits: number): void;
};

/** Follows calls as spans. Where it is off there is no object, and a client's trace passes through as it came. */
export type Tracing = { begin(call: TracedCall): CallTrace };
