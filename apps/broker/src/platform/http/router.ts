import type { Access, Answer, Endpoint, ParsedRequest } from '@souk/contract/endpoint.ts';
import { issueText } from '@souk/contract/manifest/issue-text.ts';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { ZodType } from 'zod';
import { SoukError } from '../errors.ts';
import { actAs } from './acting.ts';
import { bodyParser, maxBodyBytes, readJsonBody } from './body-parser.ts';
import type { Caller } from './caller.ts';
import { allowEveryOrigin, mountPreflight, type AllowedRequests } from './cors.ts';
import { encodeInTurns, hasLongList } from './answers/encode-in-turns.ts';
import type { ForwardedRequests } from './connections/forwarded-requests.ts';
import type { RequestRates } from './request-rates.ts';
import type { UnreadAnswers } from './connections/unread-answers.ts';
import { sendRevalidated } from './answers/revalidated-answer.ts';

/**
 * Decides whether a request may call an endpoint with this access (the token table of the clarifications).
 * @returns the caller; undefined if there is no token and the endpoint needs none
 * @throws SoukError
 */
export type Guard = (
  authorization: string | undefined,
  access: Access,
  call: Pick<Endpoint, 'method' | 'path'>,
  address: string,
) => Promise<Caller | undefined>;

type CallerFor<A extends Access> = A extends 'public' | 'refresh' ? Caller | undefined : Caller;

/** Handles an endpoint. A long answer may be a stream of its text (downloads.ts, json-text.ts). */
export type Handler<E extends Endpoint> = (
  input: ParsedRequest<E> & { caller: CallerFor<E['access']>; request: FastifyRequest; reply: FastifyReply },
) => Promise<Answer<E> | Readable> | Answer<E> | Readable;

export type Router = {
  /** Serves one endpoint of the contract. @throws Error if it is served already */
  route<E extends Endpoint>(endpoint: E, handler: Handler<E>): void;
  /** The served endpoints, for the test that compares them with the contract. */
  readonly served: readonly Endpoint[];
};

/**
 * Serves the endpoints of the contract. Authentication and limits only need the head of a request, so that the body of a
 * refused request is not read.
 * @param limits.unread counts the bytes of answers that users leave unread
 * @param limits.rates by default nothing is limited
 * @param limits.forwarded counts requests from proxies that are not trusted
 */
export function createRouter(
  app: FastifyInstance,
  guard: Guard,
  limits: { unread?: Pick<UnreadAnswers, 'belongs'>; rates?: RequestRates; forwarded?: ForwardedRequests } = {},
): Router {
  const { unread, rates, forwarded } = limits;
  const served: Endpoint[] = [];
  const callers = new WeakMap<FastifyRequest, Caller>();

  async function admit(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { access, withoutSession, weight = 1 } = endpoint;
    const { authorization } = request.headers;
    forwarded?.note(request.headers);
    if (authorization === undefined || access === 'public') rates?.ofAddress(request.ip, weight);
    if (withoutSession && authorization === undefined) throw new SoukError(withoutSession);
    const caller = await guard(authorization, access, endpoint, request.ip);
    if (caller) {
      rates?.ofPerson(caller.userId, weight);
      callers.set(request, caller);
      unread?.belongs(request.raw.socket, caller.userId);
    }
    if (endpoint.anyOrigin) allowEveryOrigin(reply, requestsOfReaders);
    // answers to users must not be cached, unless their handler allows it
    if (access !== 'public') reply.header('cache-control', 'no-store');
    // The form parser is for the sign-in; endpoints of the contract accept only JSON.
    if (endpoint.body && !isJson(request.headers['content-type'])) throw new SoukError('unsupported_media_type');
  }

  return {
    served,
    route(endpoint, handler) {
      if (served.some((other) => other.id === endpoint.id)) throw new Error(`endpoint ${endpoint.id} is served twice`);
      served.push(endpoint);
      const options: RouteOptions = {
        method: endpoint.method,
        url: endpoint.path,
        // without it, Fastify's limit of 1 MiB would apply
        ...(endpoint.largestBody !== undefined && { bodyLimit: endpoint.largestBody }),
        onRequest: (request, reply) => admit(endpoint, request, reply),
        handler: async (request, reply) => {
          const input = {
            params: parsePart(endpoint.params, request.params, 'params', endpoint),
            query: parsePart(endpoint.query, request.query, 'query', endpoint),
            body: endpoint.rawBody
              ? (request.body ?? new Uint8Array())
              : parsePart(endpoint.body, request.body, 'body', endpoint),
            ifMatch: endpoint.ifMatch && revisionOf(request.headers['if-match']),
            caller: callers.get(request),
            request,
            reply,
          };
          // The schemas of `endpoint` have parsed `input`; TypeScript cannot follow that through the generic.
          const run = () => handler(input as Parameters<typeof handler>[0]);
          const administrator = endpoint.access === 'admin' ? input.caller : undefined;
          const answer = await (administrator
            ? actAs({ userId: administrator.userId, address: request.ip }, run)
            : run());
          // a stream, or already sent
          if (answer instanceof Readable || reply.sent || typeof answer === 'string') return answer;
          if (endpoint.revalidated) return sendRevalidated(request, reply, await encodeInTurns(answer), endpoint);
          // Fastify encodes short answers
          if (!hasLongList(answer)) return answer;
          return reply.type('application/json; charset=utf-8').send((await encodeInTurns(answer)).text);
        },
      };
      if (endpoint.anyOrigin) mountPreflight(app, endpoint.path, requestsOfReaders);
      const { rawBody, largestBody } = endpoint;
      const parser = rawBody
        ? // a parser would hide faults such as a repeated key
          bodyParser(largestBody ?? maxBodyBytes, (bytes): unknown => bytes)
        : largestBody && bodyParser(largestBody, readJsonBody);
      if (parser) void app.register(async (scope) => void withParser(scope, parser).route(options));
      else app.route(options);
    },
  };
}

function withParser(scope: FastifyInstance, parser: ReturnType<typeof bodyParser>): FastifyInstance {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', parser);
  return scope;
}

function parsePart(
  schema: ZodType | undefined,
  value: unknown,
  part: string,
  { invalidInput, invalidInputAt }: Endpoint,
): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) {
    // PostgreSQL's text cannot contain U+0000
    if (hasNul(parsed.data)) throw new SoukError('invalid_request', { message: `${part}: must not contain U+0000` });
    return parsed.data;
  }
  const issues = parsed.error.issues.map((issue) => ({
    path: [part === 'body' ? '' : part, ...issue.path].filter((step) => step !== '').join('.'),
    message: JSON.isRawJSON(valueAt(value, issue.path)) ? inexactNumber : issueText(issue),
  }));
  const [first] = issues;
  const code = invalidInputAt?.[first?.path ?? ''] ?? invalidInput;
  if (code) throw new SoukError(code, { issues });
  throw new SoukError('invalid_request', {
    message: first ? `${first.path || part}: ${first.message}` : `invalid ${part}`,
    issues,
  });
}

/** Lets pages of other origins send a token and revalidate answers, which needs a preflight. */
const requestsOfReaders: AllowedRequests = {
  methods: 'GET, OPTIONS',
  headers: 'Authorization, Content-Type, If-None-Match',
  exposed: 'ETag',
};

/** The message about a number that does not fit a double, which a schema does not accept as a number (json/exact-numbers.ts). */
const inexactNumber = 'must be a number with fewer digits';

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, step) => (Object(inner) === inner ? Reflect.get(Object(inner), step) : undefined),
    value,
  );
}

/** Reads a revision from If-Match (RFC 9110, section 13.1.1): one strong tag; `*` names none. */
function revisionOf(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const tag = /^"([^"]{0,200})"$/.exec(header.trim())?.[1];
  if (tag === undefined)
    throw new SoukError('invalid_request', { message: 'If-Match: must be one revision in quotes' });
  return tag;
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNul);
}

/** Accepts a missing type too, since a missing body has none: the schema reports what is missing. */
function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/json\s*(;|$)/i.test(contentType);
}
