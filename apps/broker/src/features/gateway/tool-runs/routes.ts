import { answerToolRun, cancelToolRun, startToolRun } from '@souk/contract/tool-runs.ts';
import type { FastifyReply } from 'fastify';
import type { Router } from '#platform/http/router.ts';
import type { InFlight } from '../http/in-flight.ts';
import { keepAliveComment, type KeepAlive } from '../http/keep-alive.ts';
import { listeningOn } from '../http/listening-on.ts';
import type { ToolRuns } from './create-tool-runs.ts';

type Parts = { runs: ToolRuns; keepAlive: KeepAlive; answers: Pick<InFlight, 'enter'> };

/** Running a tool from the web app. Only the token identifies the person (clarifications, Addresses). */
export function mountToolRuns(router: Router, { runs, keepAlive, answers }: Parts): void {
  router.route(startToolRun, async ({ caller, body, request, reply }) => {
    const run = runs.start({ caller, callId: request.id, ...body });
    openEventStream(reply);
    const response = reply.raw;
    const leave = answers.enter();
    const write = (text: string) => void (response.destroyed || response.write(text));
    const stopComments = keepAlive.watch(() => write(keepAliveComment));
    // a client that goes away cancels; after the end this does nothing
    response.once('close', run.abort);
    await run.follow({
      tell: (event) => write(`data: ${JSON.stringify(event)}\n\n`),
      listening: () => listeningOn(response),
    });
    stopComments();
    leave();
    response.end();
    return '';
  });

  router.route(answerToolRun, async ({ caller, params, body }) => {
    await runs.send(caller.userId, params.callId, { kind: 'answer', answer: body });
    return { success: true as const };
  });

  router.route(cancelToolRun, async ({ caller, params }) => {
    await runs.send(caller.userId, params.callId, { kind: 'cancellation' });
    return { success: true as const };
  });
}

/** A hijacked reply skips fastify's hooks, so the headers that were set so far are copied by hand. */
function openEventStream(reply: FastifyReply): void {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
}
