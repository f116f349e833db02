import type { FastifyInstance } from 'fastify';
import { drain, hasWholeBody } from './send-answer.ts';

/**
 * Requests that are answered by their head alone, such as those with a bad token: their body is neither waited for nor kept.
 * The connection ends with the answer, after what is on its way was read and dropped up to a bound (send-answer.ts). A client
 * that asks before it sends its body (RFC 9110, section 10.1.1) is told to go on when the body is wanted, and not before.
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
      // from here on `end` is Node's: it is called once
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
