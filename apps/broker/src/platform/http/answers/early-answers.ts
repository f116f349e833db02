import type { FastifyInstance } from 'fastify';
import { drain, hasWholeBody } from './send-answer.ts';

/**
 * Lets requests be answered before their body has arrived, such as those with an invalid token. The connection then ends
 * with the answer, after up to a bound of the body was read and dropped (send-answer.ts). A client that expects 100-continue
 * (RFC 9110, section 10.1.1) gets it only once the body is wanted.
 */
export function answerEarly(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw: request }, reply, payload: unknown) => {
    if (hasWholeBody(request)) return payload;
    reply.header('connection', 'close');
    const { raw: response } = reply;
    const end = response.end.bind(response);
    response.end = (last?: unknown) => {
      if (typeof last === 'string' || Buffer.isBuffer(last)) response.write(last);
      else response.flushHeaders();
      // restores Node's `end`, which drain calls once
      response.end = end;
      drain(request, () => response.end());
      return response;
    };
    return payload;
  });

  app.server.on('checkContinue', (request, response) => {
    const read = request._read.bind(request);
    request._read = (size) => {
      request._read = read;
      if (!response.headersSent) response.writeContinue();
      read(size);
    };
    app.server.emit('request', request, response);
  });
}
