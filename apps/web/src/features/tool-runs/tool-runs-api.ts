import { createClient, openStream } from '@souk/contract/client.ts';
import type { RequestInput } from '@souk/contract/endpoint.ts';
import { answerToolRun, cancelToolRun, runEventSchema, startToolRun, type RunEvent } from '@souk/contract/tool-runs.ts';
import { clientOptions } from '#web/api.ts';
import { readEvents } from '#web/loading/read-events.ts';

/** A client of its own, so that only this lazy part loads these schemas. The stream is opened separately. */
export const toolRunsApi = createClient([answerToolRun, cancelToolRun] as const, clientOptions);

export type AnswerRun = RequestInput<typeof answerToolRun>['body'];

export type WantedRun = { serverId: string; tool: string; arguments: Record<string, unknown> };

/**
 * Runs a tool and passes its events on until the stream ends. Aborting the signal cancels the run.
 * @throws ApiError for a run that was refused
 */
export async function streamToolRun(
  body: WantedRun,
  signal: AbortSignal,
  onEvent: (event: RunEvent) => void,
): Promise<void> {
  const stream = await openStream(startToolRun, { body }, clientOptions, { signal });
  await readEvents(stream, (event) => onEvent(runEventSchema.parse(event)));
}
