import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * Who may call an endpoint: one row of the token table in the clarifications.
 * - public: anyone; a token, if any, is not needed
 * - user: web token; a personal token may only read (GET)
 * - account: web token only
 * - refresh: web token acts; a personal token or none only re-reads; an MCP client's token is refused
 * - admin: web token of an administrator
 */
export type Access = 'public' | 'user' | 'account' | 'refresh' | 'admin';

type Schema = z.ZodType;

export type Endpoint = {
  /** Operation name in openapi.json and the name of the typed client's function. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Fastify's notation: /auth/pat/:id */
  path: string;
  summary: string;
  access: Access;
  params?: Schema;
  query?: Schema;
  body?: Schema;
  /** The handler reads the text of the JSON body itself; `body` then describes it. */
  rawBody?: true;
  /** How many requests a call counts as in the rates of its caller; 1 unless it costs more than about a millisecond. */
  weight?: number;
  /** The body may have so many bytes, where it is another number than that of all calls (256 KiB). */
  largestBody?: number;
  answer: Schema;
  /** The media type of the answer where it is not application/json; of a text, `answer` is a string. */
  mediaType?: 'text/csv' | 'application/x-ndjson' | 'text/event-stream' | `application/${string}+json`;
  /**
   * The answer carries an ETag, and a client that names it in If-None-Match gets 304 without a body. Caches keep it and ask
   * each time, or use it unasked for so many seconds; the answer to a call with a token is kept by that client's own cache
   * alone.
   */
  revalidated?: true | { maxAgeSeconds: number };
  /** Pages of every origin may read the answer (CORS): everyone gets the same one, without a token. */
  anyOrigin?: true;
  /** A write may name in If-Match the revision that its screen showed, and is refused when there is another by now. */
  ifMatch?: true;
  errors?: readonly ErrorCode[];
  /** The error for input that does not match the schemas, where the specification gives a text; else invalid_request. */
  invalidInput?: ErrorCode;
  /** The same for one field alone, by its path, such as `type` of the body. */
  invalidInputAt?: Readonly<Record<string, ErrorCode>>;
  /** The error for a call without a token, where the specification gives a text; else authentication_required. */
  withoutSession?: ErrorCode;
};

/** Declares one call between web and broker. Keeps the literal types of its schemas. */
export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition;
}

type Output<S> = S extends Schema ? z.output<S> : undefined;
type Input<S> = S extends Schema ? z.input<S> : undefined;

/** What a handler gets: parsed values. */
export type ParsedRequest<E extends Endpoint> = {
  /** The If-Match of an endpoint with `ifMatch`, without its quotes; undefined where the caller names none. */
  ifMatch: string | undefined;
  params: Output<E['params']>;
  query: Output<E['query']>;
  body: E extends { rawBody: true } ? Uint8Array : Output<E['body']>;
};
/** What a handler returns: checked against the answer's schema by the type checker. */
export type Answer<E extends Endpoint> = z.input<E['answer']>;
/** What a caller sends. */
export type RequestInput<E extends Endpoint> = {
  params: Input<E['params']>;
  query: Input<E['query']>;
  /** An endpoint with `rawBody` takes the text that is sent as it stands. */
  body: E extends { rawBody: true } ? string : Input<E['body']>;
};
/** What a caller gets. */
export type AnswerOutput<E extends Endpoint> = z.output<E['answer']>;
