import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * Callers that an endpoint accepts: a row of the token table in the clarifications.
 * - public: anyone, with or without a token
 * - user: web token; a personal token may only read (GET)
 * - account: web token only
 * - refresh: a web token refetches; a personal token or none returns the stored state; an MCP client's token is refused
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
  /** The handler parses the JSON text itself; `body` only documents it. */
  rawBody?: true;
  /** Number of requests that a call counts as in rate limits; 1 unless it costs more than about a millisecond. */
  weight?: number;
  /** Size limit of the body in bytes, if it differs from the default of 256 KiB. */
  largestBody?: number;
  answer: Schema;
  /** Media type of the response if it is not application/json; for text, `answer` is a string. */
  mediaType?: 'text/csv' | 'application/x-ndjson' | 'text/event-stream' | `application/${string}+json`;
  /**
   * The response has an ETag, and a matching If-None-Match gets 304 without a body. Caches revalidate each time, or after
   * `maxAgeSeconds`; a response to a call with a token is cached only by its client.
   */
  revalidated?: true | { maxAgeSeconds: number };
  /** Pages of every origin may read the response (CORS): it is the same for everyone, without a token. */
  anyOrigin?: true;
  /** A write may send the revision that was shown as If-Match, and is refused if it is outdated. */
  ifMatch?: true;
  errors?: readonly ErrorCode[];
  /** Error for invalid input, if the specification gives a text; else invalid_request. */
  invalidInput?: ErrorCode;
  /** Errors for single fields by path, such as `type` of the body. */
  invalidInputAt?: Readonly<Record<string, ErrorCode>>;
  /** Error for a call without a token, if the specification gives a text; else authentication_required. */
  withoutSession?: ErrorCode;
};

/** Declares a call between web and broker, and keeps the literal types of its schemas. */
export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition;
}

type Output<S> = S extends Schema ? z.output<S> : undefined;
type Input<S> = S extends Schema ? z.input<S> : undefined;

/** Parsed input of a handler. */
export type ParsedRequest<E extends Endpoint> = {
  /** If-Match of an endpoint with `ifMatch`, without quotes; undefined if absent. */
  ifMatch: string | undefined;
  params: Output<E['params']>;
  query: Output<E['query']>;
  body: E extends { rawBody: true } ? Uint8Array : Output<E['body']>;
};
/** Result of a handler, type-checked against the answer's schema. */
export type Answer<E extends Endpoint> = z.input<E['answer']>;
/** Input of a caller. */
export type RequestInput<E extends Endpoint> = {
  params: Input<E['params']>;
  query: Input<E['query']>;
  /** An endpoint with `rawBody` takes the text to send. */
  body: E extends { rawBody: true } ? string : Input<E['body']>;
};
/** Result of a caller. */
export type AnswerOutput<E extends Endpoint> = z.output<E['answer']>;
