import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { ConnectionAttempt } from '@souk/contract/connection-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { Resources } from '../oauth/resources.ts';
import type { FindKey } from '../oauth/signing-keys.ts';
import { createRateLimit } from '../sign-in/rate-limit.ts';
import { createAttemptStore } from './attempt-store.ts';
import { cleanLabel, type Failure } from './connection-event.ts';
import { createEventWriter, type MergedEvent } from './event-writer.ts';
import { createGrantSources } from './grant-sources.ts';
import { presentAttempt } from './present-attempt.ts';
import { createSightings, type Visitor } from './sightings.ts';
import { createTokenOwners } from './token-owner.ts';
import { recordTokenFailure, traceProvider } from './trace-provider.ts';
import { createRequestTrace } from './trace-requests.ts';

/** Whose token was refused is looked up this often a minute for one address: each costs a signature and a query. */
const ownersPerMinute = 30;

/** Sign-ins that begin, by one person or from one address, and leave a trace: each is a row. */
const signInsPerMinute = 30;

export type ConnectionLogOptions = {
  db: Database;
  publicUrl: string;
  findKey: FindKey;
  /** Keys the hash under which strangers are kept. */
  hashKey: string;
  resources: Resources;
  clock: Clock;
  ids: Ids;
  log: Log;
};

export type ConnectionLog = ReturnType<typeof createConnectionLog>;

/**
 * The trace of each client's attempt to connect, for the person whose client it is: what passed, what failed and why.
 * Everything is taken in at once and written later; nothing that a request needs waits for it.
 */
export function createConnectionLog(options: ConnectionLogOptions) {
  const { db, publicUrl, resources, clock, log } = options;
  const store = createAttemptStore(db, options.ids);
  const sightings = createSightings(options);
  const grantSources = createGrantSources(db, log);
  const owners = createTokenOwners({ db, issuer: publicUrl, findKey: options.findKey, clock });
  const ownerLimit = createRateLimit(clock, ownersPerMinute);
  const signInLimit = createRateLimit(clock, signInsPerMinute);
  const writer = createEventWriter(write, log);
  const requests = createRequestTrace({ clock, record: writer.record });
  /** Requests at the authorization server, which sees Node's own request and not who TRUST_PROXY says it is from. */
  const arrived = new WeakMap<IncomingMessage, Visitor>();
  const pending = new Set<Promise<unknown>>();

  /** That somebody of this source asked where to sign in counts for the sign-in that follows: the bare fact, without its time. */
  async function write({ source, ...event }: MergedEvent): Promise<void> {
    if (source !== undefined && (await sightings.take(source))) {
      event.firstPassed = { discovery: event.startedAtMs, ...event.firstPassed };
    }
    await store.write(event);
  }

  function inBackground(work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) => log.warn({ err: error }, 'why a client was refused was not recorded'))
      .finally(() => pending.delete(done));
    pending.add(done);
  }

  /** Records why a request with this token came to nothing, for whom the token was given to. */
  function recordForOwner(request: FastifyRequest, resource: string, failure?: Failure): void {
    const { authorization } = request.headers;
    const userAgent = cleanLabel(request.headers['user-agent']);
    if (authorization === undefined || !ownerLimit.allow(request.ip)) return;
    const atMs = clock.now();
    inBackground(
      owners.find(authorization, resource, userAgent).then((owner) => {
        const reason = failure ?? owner?.failure;
        if (owner && reason) writer.record({ ...owner, userAgent, atMs, failure: reason });
      }),
    );
  }

  return {
    /** Follows what oidc-provider tells of sign-ins. */
    watchProvider(provider: Provider): void {
      traceProvider(provider, {
        resources,
        grantSources,
        now: () => clock.now(),
        record: writer.record,
        inBackground,
        mayBegin: (ctx, userId) => signInLimit.allow(userId ?? arrived.get(ctx.req)?.address ?? ''),
        sourceOf(ctx) {
          const visitor = arrived.get(ctx.req);
          return visitor && { source: sightings.sourceOf(visitor), userAgent: cleanLabel(visitor.userAgent) };
        },
      });
    },

    /** Notes who asks for the documents by which clients find us, and who comes to the authorization server. */
    watchRoutes(app: FastifyInstance): void {
      app.addHook('onRequest', (request, _reply, done) => {
        const { url } = request;
        if (url.startsWith('/oauth/')) arrived.set(request.raw, visitorOf(request));
        else if (url.startsWith('/.well-known/oauth')) sightings.note(visitorOf(request));
        done();
      });
    },

    /** The token endpoint said no before oidc-provider saw the request: the resource is not what was signed in to. */
    tokenRefused(form: URLSearchParams, error: string): void {
      const atMs = clock.now();
      const asked = cleanLabel(form.get('resource') ?? '', 200);
      const value = form.get('code') ?? form.get('refresh_token') ?? undefined;
      const failure: Failure =
        error === 'invalid_target'
          ? { step: 'token', reason: 'wrong-resource', facts: { asked, right: resources.mcp } }
          : { step: 'token', reason: 'token-refused', facts: { error } };
      inBackground(
        grantSources.find(value).then((source) => {
          if (source) recordTokenFailure(source, failure, atMs, writer.record);
        }),
      );
    },

    /** An MCP endpoint sent its challenge: to a newcomer, who learns where to sign in, or to a token that is not good. */
    challenged(request: FastifyRequest, resource: string): void {
      if (request.headers.authorization === undefined) sightings.note(visitorOf(request));
      else recordForOwner(request, resource);
    },

    /** An MCP endpoint refused a request before it asked who sends it. */
    turnedAway(request: FastifyRequest, resource: string, error: unknown): void {
      if (!(error instanceof SoukError)) return;
      const { origin, host } = request.headers;
      if (error.code === 'foreign_origin') {
        const facts = { origin: cleanLabel(origin) };
        recordForOwner(request, resource, { step: 'first-request', reason: 'foreign-origin', facts });
      } else if (error.code === 'foreign_host') {
        const facts = { host: cleanLabel(host), right: publicUrl };
        recordForOwner(request, resource, { step: 'first-request', reason: 'foreign-host', facts });
      }
    },

    /** A good token lacks the scope of what it asked for. */
    lacksScope(caller: Caller, request: FastifyRequest, method: string, missing: string): void {
      const facts = { missing, has: caller.scopes.join(' ') };
      const step = method === 'tools/list' ? 'tools-listed' : 'first-call';
      requests.lacksScope(caller, request, { step, reason: 'insufficient-scope', facts });
    },

    /** A request of somebody known is about to be served; called for every request that takes the long way. */
    follow: requests.follow,

    /** A request of somebody known was answered; called for every request, so it must cost nothing to speak of. */
    served: requests.served,

    /** Whether `served` would have nothing to note of a tools/call of this caller that is answered well. */
    isCallKnown: requests.isCallKnown,

    /** The attempts of this person's clients, newest first. */
    async list(userId: string): Promise<ConnectionAttempt[]> {
      // What a client did a moment ago is what the person wants to see now.
      await this.settle();
      const rows = await store.list(userId, new Date(clock.now()));
      return rows.map((row) => presentAttempt(row, clock.now()));
    },

    async reap(): Promise<void> {
      await store.reap(new Date(clock.now()));
      await sightings.reap();
    },

    /** Resolves when everything that was seen so far is written. */
    async settle(): Promise<void> {
      await Promise.all(pending);
      await sightings.settle();
      await writer.flush();
    },
  };
}

function visitorOf(request: FastifyRequest): Visitor {
  return { address: request.ip, userAgent: request.headers['user-agent'] };
}
