import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { IncomingHttpHeaders } from 'node:http';
import type { CallStep, CallTrace, TracedCall, Tracing } from './tracing.ts';

/** W3C Trace Context: `traceparent` has 55 characters, and `tracestate` at most 512. */
const maxCharacters = 512;
const keys = ['traceparent', 'tracestate'] as const;
const propagator = new W3CTraceContextPropagator();

/** Attributes for the name of a tool or prompt, in the semantic conventions for MCP. */
const nameAttributes: Readonly<Record<string, string>> = {
  'tools/call': 'gen_ai.tool.name',
  'prompts/get': 'gen_ai.prompt.name',
};

/** Traces calls as spans, by the semantic conventions for MCP: one for the call, and one for each of its steps. */
export function traceCalls(tracer: Tracer): Tracing {
  return { begin: (call) => new SpanOfCall(tracer, call) };
}

class SpanOfCall implements CallTrace {
  readonly #tracer: Tracer;
  readonly #method: string;
  readonly #span: Span;
  readonly #context: Context;
  #name: string | undefined;
  #serverId: string | undefined;
  #step: { name: CallStep; span: Span } | undefined;

  constructor(tracer: Tracer, { id, method, meta, headers }: TracedCall) {
    this.#tracer = tracer;
    this.#method = method;
    const parent = contextOf(meta, headers);
    const version = headers?.['mcp-protocol-version'];
    this.#span = tracer.startSpan(
      method,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'mcp.method.name': method,
          'souk.call.id': id,
          ...(typeof version === 'string' && { 'mcp.protocol.version': version }),
          ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
        },
      },
      parent,
    );
    this.#context = trace.setSpan(parent, this.#span);
  }

  found(serverId: string | undefined, name: string): void {
    this.#serverId = serverId;
    this.#name = name;
    if (serverId !== undefined) this.#span.setAttribute('souk.server.id', serverId);
    const attribute = nameAttributes[this.#method];
    // not for resources, whose addresses may contain personal data
    if (attribute === undefined) return;
    this.#span.setAttribute(attribute, name);
    this.#span.updateName(`${this.#method} ${name}`);
  }

  step(name: CallStep): void {
    this.#step?.span.end();
    this.#step = { name, span: name === 'exchange' ? this.#startExchange() : this.#startOwn(name) };
  }

  carry(meta: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
    const carried: Record<string, unknown> = { ...meta };
    for (const key of keys) delete carried[key];
    const context = this.#step ? trace.setSpan(this.#context, this.#step.span) : this.#context;
    propagator.inject(context, carried, { set: (carrier, key, value) => (carrier[key] = value) });
    return carried;
  }

  end(outcome: string, reason: string | undefined, credits: number): void {
    this.#span.setAttributes({ 'souk.outcome': outcome, 'souk.credits': credits });
    const hasFailed = outcome === 'error' || outcome === 'failed';
    for (const span of this.#step?.name === 'exchange' ? [this.#span, this.#step.span] : [this.#span]) {
      if (reason !== undefined) span.setAttribute('error.type', reason);
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#step?.span.end();
    this.#span.end();
  }

  #startOwn(step: CallStep): Span {
    return this.#tracer.startSpan(`souk.${step}`, { kind: SpanKind.INTERNAL }, this.#context);
  }

  /** Starts a client span, since the broker is the client of the server. */
  #startExchange(): Span {
    const attribute = nameAttributes[this.#method];
    const attributes = {
      'mcp.method.name': this.#method,
      ...(this.#serverId !== undefined && { 'souk.server.id': this.#serverId }),
      ...(attribute !== undefined && this.#name !== undefined && { [attribute]: this.#name }),
    };
    const name = attribute === undefined ? this.#method : `${this.#method} ${this.#name}`;
    return this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, this.#context);
  }
}

/** Reads the client's span, if it sent a valid one in `_meta` or in the headers of its request. */
function contextOf(meta: TracedCall['meta'], headers: IncomingHttpHeaders | undefined): Context {
  const carrier = meta?.['traceparent'] === undefined ? headers : meta;
  if (carrier === undefined) return ROOT_CONTEXT;
  return propagator.extract(ROOT_CONTEXT, carrier, {
    keys: () => [...keys],
    get(from, key) {
      const value: unknown = Object(from)[key];
      return typeof value === 'string' && value.length <= maxCharacters ? value : undefined;
    },
  });
}
