import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { endpoint } from '@souk/contract/endpoint.ts';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { connectOpenId } from '#adapters/openid/openid-sign-in.ts';
import { systemClock, type Clock } from '#platform/clock.ts';
import { readConfig, type Config } from '#platform/config.ts';
import { createVault, type Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { createRouter } from '#platform/http/router.ts';
import { buildServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import { createLog } from '#platform/log.ts';
import { freePort } from '#testing/network/free-port.ts';
import { createIdentity, type Identity } from '../create-identity.ts';
import type { IdentityOptions } from '../identity-options.ts';

export type RunningIdentity = {
  publicUrl: string;
  identity: Identity;
  app: FastifyInstance;
  db: Database;
  /** Everything that was logged, at the most verbose level. */
  logged(): string;
  close(): Promise<void>;
};

export type StartOptions = {
  db: Database;
  environment?: NodeJS.ProcessEnv;
  clock?: Clock;
  vault?: Vault;
  /** Address that clients use, if it differs from the listening one: a proxy stands in front. */
  publicUrl?: string;
  /** Port to listen on; a free one by default. */
  listenPort?: number;
} & Partial<
  Pick<
    IdentityOptions,
    'googleIssuer' | 'documentDispatcher' | 'connectUpstream' | 'hasServer' | 'services' | 'mostInteractions'
  >
>;

/** A small endpoint of each access class, for the token table. `mcp` stands for an MCP endpoint. */
const probe = (access: 'public' | 'user' | 'account' | 'refresh' | 'admin', method: 'GET' | 'POST') =>
  endpoint({
    id: `probe-${access}-${method}`,
    method,
    path: `/probe/${access}`,
    summary: 'for tests',
    access,
    answer: z.object({ userId: z.string().nullable() }),
  });

/** Starts the identity feature as a server on a free port of this machine, with the parts that app.ts gives it. */
export async function startIdentity(options: StartOptions): Promise<RunningIdentity> {
  const port = options.listenPort ?? (await freePort());
  const publicUrl = options.publicUrl ?? `http://localhost:${port}`;
  const config: Config = readConfig({
    SIGN_IN_PER_MINUTE: '100000',
    PAYMENTS: 'off',
    ...options.environment,
    PORT: String(port),
    PUBLIC_URL: publicUrl,
  });
  const lines: string[] = [];
  const log = createLog(
    'trace',
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    }),
  );
  const clock = options.clock ?? systemClock;
  const ids = createIds(clock);
  const identity = await createIdentity({
    db: options.db,
    config,
    clock,
    ids,
    log,
    vault: options.vault ?? testVault,
    connectUpstream: options.connectUpstream ?? connectOpenId,
    ...(options.googleIssuer !== undefined && { googleIssuer: options.googleIssuer }),
    ...(options.services && { services: options.services }),
    ...(options.mostInteractions !== undefined && { mostInteractions: options.mostInteractions }),
    hasServer: options.hasServer ?? ((serverId) => ['travel', 'notes'].includes(serverId)),
    ...(options.documentDispatcher && { documentDispatcher: options.documentDispatcher }),
  });
  const app = await buildServer({ config, ids, log, readiness: async () => ({ ready: true }) });
  // a new server on the same port must not receive requests over a connection to the previous one
  app.server.maxRequestsPerSocket = 1;
  const router = createRouter(app, identity.guard);
  await identity.mountRoutes(app, router);
  mountProbes(app, router, identity, publicUrl);
  await app.listen({ port, host: '127.0.0.1' });
  return {
    publicUrl,
    identity,
    app,
    db: options.db,
    logged: () => lines.join(''),
    close: async () => {
      await app.close();
      await identity.stop();
    },
  };
}

function mountProbes(
  app: FastifyInstance,
  router: ReturnType<typeof createRouter>,
  identity: Identity,
  publicUrl: string,
): void {
  for (const access of ['public', 'user', 'account', 'refresh', 'admin'] as const) {
    for (const method of ['GET', 'POST'] as const) {
      router.route(probe(access, method), ({ caller }) => ({ userId: caller?.userId ?? null }));
    }
  }
  for (const path of ['/mcp', '/s/travel/mcp', '/s/notes/mcp']) {
    app.post(path, async (request, reply) => {
      const result = await identity.authenticateMcp(request.headers.authorization, publicUrl + path);
      if ('caller' in result) return { userId: result.caller.userId, scopes: result.caller.scopes };
      const metadata = `${publicUrl}/.well-known/oauth-protected-resource${path}`;
      const error = result.challenge.error === undefined ? '' : `, error="${result.challenge.error}"`;
      return reply
        .code(result.challenge.status)
        .header(
          'www-authenticate',
          `Bearer resource_metadata="${metadata}", scope="mcp:tools mcp:prompts mcp:resources"${error}`,
        )
        .send({ success: false });
    });
  }
}

/** Master key of all servers of a test run, so that replicas can open what others sealed. */
export const testVault: Vault = createVault(randomBytes(32).toString('base64url'));
