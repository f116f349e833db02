import { answerToolRun, cancelToolRun, startToolRun } from '@souk/contract/tool-runs.ts';
import { openEventStream } from '#platform/http/answers/event-stream.ts';
import type { Router } from '#platform/http/router.ts';
import type { InFlight } from '../door/in-flight.ts';
import type { KeepAlive } from '#platform/http/connections/keep-alive.ts';
import { listeningOn } from '../wire/listening-on.ts';
import type { ToolRuns } from './create-tool-runs.ts';

type Parts = { runs: ToolRuns; keepAlive: KeepAlive; answers: Pick<InFlight, 'enter'> };

/** Runs tools for the web app. Only the token identifies the user (clarifications, Addresses). */
export function mountToolRuns(router: Router, { runs, keepAlive, answers }: Parts): void {
  router.route(startToolRun, async ({ caller, body, request, reply }) => {
    const run = runs.start({ caller, callId: request.id, ...body });
    const stream = openEventStream(reply);
    const leave = answers.enter();
    const stopComments = keepAlive.watch(stream.keepAlive);
    // a client that leaves cancels; after the end this does nothing
    stream.onClose(run.abort);
    await run.follow({ tell: stream.tell, listening: () => listeningOn(stream.response) });
    stopComments();
    leave();
    stream.end();
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
