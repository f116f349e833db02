import type { Server } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import cookie from '@fastify/cookie';
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import fastify, { LogController, type FastifyBaseLogger, type FastifyHttpOptions, type FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { SoukError } from '../errors.ts';
import type { Ids } from '../ids.ts';
import type { Log } from '../log.ts';
import { seenProxy, seenProxyHeader } from './connections/seen-proxy.ts';
import { bodyParser, maxBodyBytes, readJsonBody } from './body-parser.ts';
import { compressAnswers } from './answers/compress-answers.ts';
import { createConnections, type Connections } from './connections/connections.ts';
import { answerEarly } from './answers/early-answers.ts';
import type { UnreadAnswers } from './connections/unread-answers.ts';
import { renderError, retryAfterSeconds } from './answers/error-body.ts';
import { isMcpLink, namesOtherHost, ownTarget } from './request-target.ts';

const maxFormBytes = 64 * 1024;
/** Deadlines for the head and for the whole of a request. Node checks for late requests once per interval. */
export type RequestTimeouts = { headersMs: number; wholeMs: number; checkEveryMs: number };
const requestTimeouts: RequestTimeouts = { headersMs: 10_000, wholeMs: 30_000, checkEveryMs: 1_000 };

/** Longer than proxies keep idle connections: the side that sends the requests ends them, so that none is lost. */
const leastKeepAliveMs = 72_000;

/** Load balancers probe the address of the machine, not the public name. */
const hostExempt: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** The contract's zod schemas check bodies. Fastify would load two more JSON schema engines, 14 MB, for nothing. */
const refuseSchemas = () => () => {
  throw new Error('routes have no schema of Fastify: use endpoint() of the contract');
};

/** The target for a browser whose address cannot be decoded: no screen is there, and the page says so. */
const undecodablePath = '/undecodable';

function isDecodable(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether requests can be served, why not, and what the operator should know meanwhile. */
export type Readiness = () => Promise<{ ready: boolean; reason?: string | undefined; warnings?: readonly string[] }>;

type ServerParts = {
  config: Config;
  ids: Ids;
  log: Log;
  readiness: Readiness;
  /** The version in the answer of /healthz. */
  version?: string;
  /** Counts what clients leave unread; by default nothing is counted. */
  unread?: UnreadAnswers;
  /** Ends its connections at a stop. */
  connections?: Connections;
  timeouts?: RequestTimeouts;
};

/**
 * The HTTP server with everything that applies to every request: limits, Host check, security headers, cookies, forms,
 * error bodies, and the probes. Knows no feature.
 */
export async function buildServer(parts: ServerParts): Promise<FastifyInstance> {
  const { config, connections = createConnections() } = parts;
  const publicHost = new URL(config.publicUrl).host;
  const app = fastify(optionsOf(parts, publicHost));
  await app.register(helmet, securityHeaders(config.publicUrl.startsWith('https:')));
  compressAnswers(app);
  answerEarly(app);
  await app.register(cookie);

  // A form of another origin can send text/plain without a preflight, so no route accepts it.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', bodyParser(maxBodyBytes, readJsonBody));
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    bodyParser(maxFormBytes, (bytes) => parseForm(bytes.toString('utf8'))),
  );

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (namesOtherHost(request.raw)) {
      const message = 'A request must name exactly one host, and it must be the host of this installation.';
      throw new SoukError(isMcpLink(request.raw.url) ? 'foreign_host' : 'invalid_request', { message });
    }
    // request.host uses X-Forwarded-Host only from trusted proxies.
    if (request.host !== publicHost && !hostExempt.has(request.url)) {
      throw new SoukError('foreign_host', { message: `This installation answers at ${config.publicUrl} only.` });
    }
  });

  app.setErrorHandler((error, request, reply) => {
    const rendered = renderError(error, request.id);
    if (rendered.unexpected) request.log.error({ err: error, requestId: request.id }, 'a request failed');
    const waitSeconds = error instanceof SoukError ? error.retryAfterSeconds : undefined;
    const usualSeconds = { 429: 60, 503: retryAfterSeconds }[rendered.status];
    if (usualSeconds) reply.header('retry-after', reply.getHeader('retry-after') ?? waitSeconds ?? usualSeconds);
    return reply.code(rendered.status).send(rendered.body);
  });
  addProbes(app, parts);
  // last, so that it comes before handlers that features put in front
  app.addHook('onReady', async () => connections.watch(app.server));
  parts.unread?.watch(app.server);
  return app;
}

function optionsOf(
  { config, ids, log, timeouts = requestTimeouts }: ServerParts,
  publicHost: string,
): FastifyHttpOptions<Server> {
  const logger: FastifyBaseLogger = log;
  return {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    genReqId: () => ids.uuid(),
    // a child logger per request would cost more than its few lines are worth: the lines name the request themselves
    childLoggerFactory: () => logger,
    requestTimeout: timeouts.wholeMs,
    keepAliveTimeout: Math.max(leastKeepAliveMs, config.proxyKeepAliveMs + 5_000),
    http: { headersTimeout: timeouts.headersMs, connectionsCheckingInterval: timeouts.checkEveryMs },
    // Open streams of MCP clients would delay the stop forever.
    forceCloseConnections: true,
    return503OnClosing: true,
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    rewriteUrl: ({ url = '/', headers }) => {
      const target = ownTarget(url, publicHost);
      return headers.accept?.includes('text/html') && !isDecodable(target) ? undecodablePath : target;
    },
    // for programs, an address that cannot be decoded fails before routing, and so before the error handler
    frameworkErrors: (error, request, reply) => {
      const rendered = renderError(error, request.id);
      reply.hijack();
      reply.raw.writeHead(rendered.status, { 'content-type': 'application/json; charset=utf-8' });
      reply.raw.end(JSON.stringify(rendered.body));
    },
  };
}

const securityHeaders = (https: boolean): FastifyHelmetOptions => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      // From other origins, only a user's own picture at Google: no third party sees visitors.
      imgSrc: ["'self'", 'https://*.googleusercontent.com', 'data:'],
      // sounds in the results of tools
      mediaSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      fontSrc: ["'self'"],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      ...(https && { upgradeInsecureRequests: [] }),
    },
  },
  strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: false } : false,
  crossOriginEmbedderPolicy: false,
  // a sign-in popup passes through our pages and the provider's, and its opener must keep its handle
  crossOriginOpenerPolicy: { policy: 'unsafe-none' },
  referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
});

function addProbes(app: FastifyInstance, { readiness, version }: Pick<ServerParts, 'readiness' | 'version'>): void {
  app.get('/healthz', async (request, reply) => {
    reply.header(seenProxyHeader, seenProxy(request));
    return { status: 'ok', version };
  });
  app.get('/readyz', async (_request, reply) => {
    const notReady: Awaited<ReturnType<Readiness>> = { ready: false };
    const { ready, reason, warnings = [] } = await readiness().catch(() => notReady);
    const status = ready ? 'ready' : 'not ready';
    return reply
      .code(ready ? 200 : 503)
      .send({ status, ...(reason !== undefined && { reason }), ...(warnings.length > 0 && { warnings }) });
  });
}
