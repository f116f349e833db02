import { z } from 'zod';
import type { AnswerOutput, Endpoint, RequestInput } from './endpoint.ts';
import { clientErrors, errorBodySchema, type ErrorBody } from './error-body.ts';
import { statusText } from './catalogue/status-text.ts';

/** A failed call with the text to show (spec part 1, section 8). `status` is undefined if no response arrived. */
export class ApiError extends Error {
  readonly status: number | undefined;
  readonly code: string;
  readonly issues: NonNullable<ErrorBody['issues']>;
  /** Stored state, if the code is changed_since_shown. */
  readonly current: ErrorBody['current'];
  /** Current cost of a change of plan, if the code is price_changed. */
  readonly price: ErrorBody['price'];
  /** Message from the response body; undefined if it had none and the message is ours. */
  readonly serverMessage: string | undefined;

  constructor(failure: {
    message: string;
    code: string;
    status?: number;
    issues?: ErrorBody['issues'];
    current?: ErrorBody['current'];
    price?: ErrorBody['price'];
    serverMessage?: string;
    cause?: unknown;
  }) {
    super(failure.message, { cause: failure.cause });
    this.name = 'ApiError';
    this.status = failure.status;
    this.code = failure.code;
    this.issues = failure.issues ?? [];
    this.current = failure.current;
    this.price = failure.price;
    this.serverMessage = failure.serverMessage;
  }
}

type Part = 'params' | 'query' | 'body';
/** Names of the declared parts that are optional, or of those that are required. */
type PartNames<E extends Endpoint, IsOptional> = {
  [K in Part]: E extends Record<K, z.ZodType>
    ? (undefined extends RequestInput<E>[K] ? true : false) extends IsOptional
      ? K
      : never
    : never;
}[Part];
/** Parts of the request that the endpoint declares; those with a default are optional. */
type Parts<E extends Endpoint> = { [K in PartNames<E, false>]: RequestInput<E>[K] } & {
  [K in PartNames<E, true>]?: RequestInput<E>[K];
};
/** Options of a call. An aborted call throws the signal's reason. */
export type CallOptions = {
  signal?: AbortSignal;
  /** Revision that was shown, for an endpoint with `ifMatch`. */
  ifMatch?: string | undefined;
};

type Call<E extends Endpoint> = keyof Parts<E> extends never
  ? () => Promise<AnswerOutput<E>>
  : (input: Parts<E>, call?: CallOptions) => Promise<AnswerOutput<E>>;

/** One function for each endpoint, named by its id. */
export type Client<Endpoints extends readonly Endpoint[]> = { [E in Endpoints[number] as E['id']]: Call<E> };

export type ClientOptions = {
  /** Origin of the broker, without a trailing slash. */
  baseUrl: string;
  /** Supplied by the caller, because the contract does no I/O. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Returns the bearer token, called before each request; undefined for none. */
  token?: () => string | undefined | Promise<string | undefined>;
  /** A call without a token fails immediately, with the broker's error, instead of being sent. */
  needsToken?: boolean;
  /** Text for a 403 without a message, if the specification gives these calls their own. */
  forbiddenText?: string;
};

/**
 * Creates a typed client of the broker. Each call sends what its endpoint declares and returns the parsed response.
 * @throws ApiError with the message of the response body; without one, the specification's text for 401 and 403 and
 *   'HTTP {status}: {statusText}' for other failures; 'Network error occurred' without a response, and 'An unexpected error
 *   occurred' for a response that does not match the contract
 */
export function createClient<const Endpoints extends readonly Endpoint[]>(
  endpoints: Endpoints,
  options: ClientOptions,
): Client<Endpoints> {
  const calls = endpoints.map((endpoint) => [
    endpoint.id,
    (input?: Input, call?: CallOptions) => send(endpoint, input ?? {}, options, call),
  ]);
  // Object.fromEntries loses the literal types of the ids
  return Object.fromEntries(calls) as Client<Endpoints>;
}

type Input = { params?: unknown; query?: unknown; body?: unknown };

/**
 * Opens an endpoint whose media type is an event stream, and returns its body to be read as it arrives.
 * @throws ApiError as the calls of createClient do
 */
export async function openStream<E extends Endpoint>(
  endpoint: E,
  input: Parts<E>,
  options: ClientOptions,
  call: CallOptions,
): Promise<ReadableStream<Uint8Array>> {
  const response = await request(endpoint, input, options, call);
  if (!response.ok) throw failureOf(response, await bodyOf(response, undefined), options);
  return response.body ?? new ReadableStream();
}

async function send(
  endpoint: Endpoint,
  input: Input,
  options: ClientOptions,
  call: CallOptions = {},
): Promise<unknown> {
  const response = await request(endpoint, input, options, call);
  const body = await bodyOf(response, response.ok ? endpoint.mediaType : undefined);
  call.signal?.throwIfAborted();
  if (!response.ok) throw failureOf(response, body, options);
  const answer = endpoint.answer.safeParse(body);
  if (answer.success) return answer.data;
  const code = 'unexpected_answer';
  throw new ApiError({ message: 'An unexpected error occurred', code, status: response.status, cause: answer.error });
}

async function request(
  endpoint: Endpoint,
  input: Input,
  options: ClientOptions,
  { signal, ifMatch }: CallOptions,
): Promise<Response> {
  const token = await options.token?.();
  if (options.needsToken && token === undefined) {
    const code = 'authentication_required';
    throw new ApiError({ message: clientErrors[code].message, code });
  }
  return fetchFrom(options, `${options.baseUrl}${pathOf(endpoint, input.params)}${queryOf(input.query)}`, {
    method: endpoint.method,
    headers: {
      accept: endpoint.mediaType ?? 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(endpoint.body && { 'content-type': 'application/json' }),
      ...(endpoint.ifMatch && ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
    },
    ...(endpoint.body && { body: bodyText(endpoint, input.body) }),
    ...(signal && { signal }),
  });
}

/** A raw body is sent as it is, because parsing and rewriting it would hide its errors. */
function bodyText({ rawBody }: Endpoint, body: unknown): string {
  return rawBody && typeof body === 'string' ? body : JSON.stringify(body ?? {});
}

/** Reads a body; undefined if it is malformed. Failures are JSON even if the media type differs. */
async function bodyOf(response: Response, mediaType: Endpoint['mediaType']): Promise<unknown> {
  return (mediaType ? response.text() : response.json()).catch(() => undefined);
}

async function fetchFrom({ fetch }: ClientOptions, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    init.signal?.throwIfAborted();
    throw new ApiError({ message: 'Network error occurred', code: 'network', cause });
  }
}

/** Any error body with a message. A proxy in front of the broker sends neither `success` nor our codes. */
const messageBodySchema = z.object({ message: z.string().trim().min(1) });
const maxForeignMessageLength = 1000;

function failureOf(response: Response, body: unknown, options: ClientOptions): ApiError {
  const { status } = response;
  const ours = errorBodySchema.safeParse(body);
  if (ours.success) {
    const { message, code, issues, current, price } = ours.data;
    return new ApiError({ message, code, status, issues, current, price, serverMessage: message });
  }
  const code = 'unexpected_answer';
  const foreign = messageBodySchema.safeParse(body);
  if (foreign.success) {
    const message = foreign.data.message.slice(0, maxForeignMessageLength);
    return new ApiError({ message, code, status, serverMessage: message });
  }
  return new ApiError({ message: textOfStatus(response, options), code, status });
}

/** Returns the text for a status; 401 and 403 have their own (spec part 1, section 8). */
function textOfStatus(response: Response, { forbiddenText }: ClientOptions): string {
  if (response.status === 401) return clientErrors.unauthenticated.message;
  if (response.status === 403) return forbiddenText ?? clientErrors.forbidden.message;
  return `HTTP ${response.status}: ${statusText(response)}`;
}

function pathOf({ path }: Endpoint, params: unknown): string {
  const values = new Map(Object.entries(typeof params === 'object' && params !== null ? params : {}));
  return path.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) => encodeURIComponent(String(values.get(name) ?? '')));
}

function queryOf(query: unknown): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(typeof query === 'object' && query !== null ? query : {})) {
    if (value !== undefined) given.set(name, String(value));
  }
  return given.size === 0 ? '' : `?${given.toString()}`;
}
