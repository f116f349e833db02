import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { apiVersion } from '../api-version.ts';
import type { Failure, Interference } from '../interference.ts';
import type { RunWork } from '../run-work.ts';
import type { Work } from '../work.ts';
import { expand } from './expand.ts';
import { parseForm, type FormValue } from './form-body.ts';
import { createObjectLocks } from './object-locks.ts';
import { check } from './parameters.ts';
import { matchRoute, type Route } from './route.ts';
import { StripeError, badRequest, lockTimeout } from './stripe-error.ts';

const maxKeyLength = 255;

export type ApiAnswer = {
  status: number;
  body: string;
  /** Id of the earlier request with the same key, whose answer is replayed. */
  replayOf?: string;
};

export type Api = { answer(request: IncomingMessage, body: string, requestId: string): Promise<ApiAnswer> };

/** Answers requests to `/v1/*`: authentication, version, route, parameters and idempotency. */
export function createApi(given: {
  apiKey: string;
  routes: readonly Route[];
  run: RunWork;
  isFull(): boolean;
  interference: Interference;
}): Api {
  const locks = createObjectLocks(() => given.interference.locksObjects);

  async function work(asked: Asked, answerWith: (work: Work) => Promise<string>): Promise<ApiAnswer> {
    const { route, path, key } = asked;
    if (route.method === 'GET') return { status: 200, body: await given.run('read', answerWith) };
    if (given.isFull() && route.method === 'POST') throw badRequest('The sandbox is full: start with an empty one.');
    const fails = given.interference.failAt(route.method, path);
    if (fails === 'locked') throw lockTimeout();
    if (key === undefined || route.method !== 'POST') {
      if (fails === 'before') throw failure();
      if (fails === 'refused') throw refusal();
      const answer = await given.run('write', answerWith);
      if (fails === 'after') throw failure();
      return { status: 200, body: answer };
    }
    if (key.length > maxKeyLength) throw badRequest(`Idempotency-Key has more than ${maxKeyLength} characters.`);
    const keyed = { ...asked, key, fails };
    try {
      return await given.run('write', (transaction) => answerOnce(transaction, keyed, answerWith));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const answer = { status: error.cause.status, body: JSON.stringify(error.cause.toBody()) };
      await given.run('write', (transaction) => keepAnswer(transaction, keyed, answer));
      throw error.cause;
    }
  }

  return {
    async answer(request, body, requestId) {
      authenticate(request, given.apiKey);
      checkVersion(request);
      const url = new URL(request.url ?? '/', 'http://sandbox');
      const { route, id } = findRoute(given.routes, request.method ?? 'GET', url.pathname);
      const form = parseForm(route.method === 'POST' ? body : url.search.slice(1));
      const parameters = check(route.schema, form);
      const sent = request.headers['idempotency-key'];
      const asked: Asked = {
        route,
        path: url.pathname,
        key: typeof sent === 'string' ? sent : undefined,
        request: `${url.pathname}?${canonical(form)}`,
        requestId,
      };
      const unlock = locks.lock(route.method === 'GET' ? '' : id);
      try {
        await given.interference.beforeWork(route.method, url.pathname);
        return await work(asked, async (transaction) => {
          const answer = await route.run({ work: transaction, given: parameters, id });
          return JSON.stringify(await expand(transaction, answer, toPaths(form)));
        });
      } finally {
        unlock();
      }
    },
  };
}

function authenticate(request: IncomingMessage, apiKey: string): void {
  const sent = /^Bearer (\S{1,255})$/.exec(request.headers.authorization ?? '')?.[1];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (sent !== undefined && timingSafeEqual(digest(sent), digest(apiKey))) return;
  const message = sent?.startsWith('sk_test_sandbox_')
    ? 'Invalid API Key provided: it is not the one of this sandbox.'
    : 'Invalid API Key provided: the sandbox accepts only keys that begin with sk_test_sandbox_. It must never see a real one.';
  throw new StripeError(401, message);
}

function checkVersion(request: IncomingMessage): void {
  const version = request.headers['stripe-version'] ?? apiVersion;
  if (version !== apiVersion) {
    throw badRequest(`Invalid Stripe API version: ${String(version)}. The sandbox supports only ${apiVersion}.`);
  }
}

function findRoute(routes: readonly Route[], method: string, path: string): { route: Route; id: string } {
  const address = path.startsWith('/v1/') ? path.slice('/v1/'.length).split('/') : [];
  for (const route of routes) {
    const id = matchRoute(route, method, address);
    if (id !== undefined) return { route, id };
  }
  throw new StripeError(
    404,
    `Unrecognized request URL (${method}: ${path.slice(0, 200)}). Stripe may have it; the sandbox does not implement it.`,
  );
}

/** Refusal of a request whose work has begun: its changes are rolled back, and its answer is stored. */
class Refused extends Error {
  override readonly cause: StripeError;
  constructor(cause: StripeError) {
    super('refused');
    this.cause = cause;
  }
}

const refusal = () => new StripeError(400, 'The balance of the account does not cover this.');

const failure = () => new StripeError(500, 'An unknown error occurred.', {}, 'api_error');

/**
 * Answers a request once per key. Reusing a key with other parameters is an error. Refusals and server errors are stored
 * like any answer, so a repeated request gets the same answer. A refused request changes nothing.
 */
async function answerOnce(work: Work, asked: Keyed, answerWith: (work: Work) => Promise<string>): Promise<ApiAnswer> {
  const { key, fails } = asked;
  const { id, parameters } = nameOf(asked);
  const kept = await work.get('kept_answer', id);
  if (kept && kept.body.parameters !== parameters) {
    throw new StripeError(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      {},
      'idempotency_error',
    );
  }
  if (kept) {
    const { status = 200, answer, request: replayOf = '' } = kept.body;
    return { status, body: answer, replayOf };
  }
  const made = fails === 'before' ? '' : await unlessRefused(fails, () => answerWith(work));
  const answer =
    fails === undefined ? { status: 200, body: made } : { status: 500, body: JSON.stringify(failure().toBody()) };
  await keepAnswer(work, asked, answer);
  return answer;
}

type Asked = { route: Route; path: string; key: string | undefined; request: string; requestId: string };
type Keyed = Omit<Asked, 'key'> & { key: string; fails: Exclude<Failure, 'locked'> | undefined };

const nameOf = ({ key, request }: Keyed) => ({
  id: `idem_${createHash('sha256').update(key).digest('hex')}`,
  parameters: createHash('sha256').update(request).digest('hex'),
});

async function keepAnswer(work: Work, asked: Keyed, { status, body }: { status: number; body: string }): Promise<void> {
  const { id, parameters } = nameOf(asked);
  if (await work.get('kept_answer', id)) return;
  work.add(
    'kept_answer',
    { id, object: 'kept_answer', parameters, answer: body, status, request: asked.requestId },
    {},
  );
}

/** @throws Refused */
async function unlessRefused(fails: Keyed['fails'], run: () => Promise<string>): Promise<string> {
  try {
    if (fails === 'refused') throw refusal();
    return await run();
  } catch (error) {
    if (error instanceof StripeError && error.status < 500) throw new Refused(error);
    throw error;
  }
}

const expandPaths = z.object({ expand: z.array(z.string()).default([]) });

function toPaths(form: Record<string, FormValue>): string[] {
  return expandPaths.parse(form).expand;
}

/** Serializes parameters in a fixed order, because clients may repeat a request with another order. */
function canonical(value: FormValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? '')}`).join(',')}}`;
}
