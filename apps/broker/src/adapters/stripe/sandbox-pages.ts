import { request as requestHttp, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { bodyParser } from '#platform/http/body-parser.ts';
import { SoukError } from '#platform/errors.ts';

/** Larger than the largest form of these pages. */
const maxFormBytes = 16 * 1024;
const timeoutMs = 20_000;
/** Headers that the pages read. They must not get our cookies and tokens. */
const passedOn = ['content-type', 'origin'] as const;

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** Passes /dev-stripe/* on to the stand-in for Stripe, and its answers back unchanged: they have their own policy. */
export function mountSandboxPages(server: FastifyInstance, sandbox: { host: string; port: number }): void {
  void server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      bodyParser(maxFormBytes, (bytes) => bytes),
    );
    scope.route<{ Body: Buffer | undefined }>({
      method: ['GET', 'POST'],
      url: '/dev-stripe/*',
      async handler(request, reply) {
        const answer = await passOn(sandbox, request).catch((error: unknown) => {
          throw new SoukError('unavailable', { cause: error });
        });
        for (const [name, value] of Object.entries(answer.headers)) {
          if (!hopByHop.has(name) && value !== undefined) reply.header(name, value);
        }
        return reply.code(answer.status).send(answer.body);
      },
    });
    done();
  });
}

const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'content-length',
]);

function passOn(
  { host, port }: { host: string; port: number },
  request: { method: string; url: string; headers: IncomingHttpHeaders; body: Buffer | undefined },
): Promise<Answer> {
  const headers = Object.fromEntries(
    passedOn.flatMap((name) => (request.headers[name] === undefined ? [] : [[name, request.headers[name]]])),
  );
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = requestHttp({ host, port, method: request.method, path: request.url, headers, signal }, (answer) => {
      buffer(answer).then(
        (body) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end(request.body);
  });
}
