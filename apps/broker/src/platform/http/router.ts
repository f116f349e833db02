import type { Access, Answer, Endpoint, ParsedRequest } from '@souk/contract/endpoint.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { ZodType } from 'zod';
import { SoukError } from '../errors.ts';
import { bodyParser, maxBodyBytes, readJsonBody } from './body-parser.ts';
import type { Caller } from './caller.ts';
import type { UnreadAnswers } from './unread-answers.ts';
import { sendRevalidated } from './revalidated-answer.ts';

/**
 * Decides whether a request may call an endpoint with this access (the token table of the clarifications).
 * Answers the caller, or undefined where the endpoint needs none and there is no token; throws SoukError otherwise.
 */
export type Guard = (
  authorization: string | undefined,
  access: Access,
  call: Pick<Endpoint, 'method' | 'path'>,
  address: string,
) => Promise<Caller | undefined>;

type CallerFor<A extends Access> = A extends 'public' | 'refresh' ? Caller | undefined : Caller;

export type Handler<E extends Endpoint> = (
  input: ParsedRequest<E> & { caller: CallerFor<E['access']>; request: FastifyRequest; reply: FastifyReply },
) => Promise<Answer<E>> | Answer<E>;

export type Router = {
  /** Serves one endpoint of the contract. Throws at start when it is served already. */
  route<E extends Endpoint>(endpoint: E, handler: Handler<E>): void;
  /** The endpoints that are served, for the test that compares them with the contract. */
  readonly served: readonly Endpoint[];
};

/** @param unread counts what a person does not read of their answers */
export function createRouter(app: FastifyInstance, guard: Guard, unread?: Pick<UnreadAnswers, 'belongs'>): Router {
  const served: Endpoint[] = [];
  return {
    served,
    route(endpoint, handler) {
      if (served.some((other) => other.id === endpoint.id)) throw new Error(`endpoint ${endpoint.id} is served twice`);
      served.push(endpoint);
      const options: RouteOptions = {
        method: endpoint.method,
        url: endpoint.path,
        handler: async (request, reply) => {
          if (endpoint.withoutSession && request.headers.authorization === undefined) {
            throw new SoukError(endpoint.withoutSession);
          }
          const caller = await guard(request.headers.authorization, endpoint.access, endpoint, request.ip);
          if (caller) unread?.belongs(request.raw.socket, caller.userId);
          // of a person: no cache keeps it; a handler may say otherwise
          if (endpoint.access !== 'public') reply.header('cache-control', 'no-store');
          // The form parser is for the sign-in; the contract's calls accept only JSON.
          if (endpoint.body && !isJson(request.headers['content-type'])) throw new SoukError('unsupported_media_type');
          const input = {
            params: parsePart(endpoint.params, request.params, 'params', endpoint),
            query: parsePart(endpoint.query, request.query, 'query', endpoint),
            body: endpoint.rawBody
              ? (request.body ?? new Uint8Array())
              : parsePart(endpoint.body, request.body, 'body', endpoint),
            ifMatch: endpoint.ifMatch && revisionOf(request.headers['if-match']),
            caller,
            request,
            reply,
          };
          // The schemas of `endpoint` have parsed `input`; TypeScript cannot follow that through the generic.
          const answer = await handler(input as Parameters<typeof handler>[0]);
          return endpoint.revalidated ? sendRevalidated(request, reply, answer) : answer;
        },
      };
      const { rawBody, largestBody } = endpoint;
      const parser = rawBody
        ? // a parser would drop what is wrong with it, such as a key that comes twice
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
    // PostgreSQL stores U+0000 in no text
    if (hasNul(parsed.data)) throw new SoukError('invalid_request', { message: `${part}: must not contain U+0000` });
    return parsed.data;
  }
  const issues = parsed.error.issues.map((issue) => ({
    path: [part === 'body' ? '' : part, ...issue.path].filter((step) => step !== '').join('.'),
    message: issue.message,
  }));
  const [first] = issues;
  const code = invalidInputAt?.[first?.path ?? ''] ?? invalidInput;
  if (code) throw new SoukError(code, { issues });
  throw new SoukError('invalid_request', {
    message: first ? `${first.path || part}: ${first.message}` : `invalid ${part}`,
    issues,
  });
}

/** RFC 9110, section 13.1.1: one strong tag; `*` names none. */
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

/** A missing body has no type; the schema reports what is missing. */
function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/json\s*(;|$)/i.test(contentType);
}
