import { connectionTestEventSchema, startConnectionTest } from '@souk/contract/admin/servers.ts';
import { openStream } from '@souk/contract/client.ts';
import type { RequestInput } from '@souk/contract/endpoint.ts';
import { useEffect, useReducer, useRef } from 'react';
import { failureText } from '#web/texts/failure-text.ts';
import { readEvents } from '#web/loading/read-events.ts';
import { adminClientOptions } from '../../admin-api.ts';
import { changeTest, noTest } from './test-state.ts';

export type WantedTest = RequestInput<typeof startConnectionTest>['body'];

/** Tests one connection at a time. The test ends when its component unmounts. */
export function useConnectionTest() {
  const [state, change] = useReducer(changeTest, noTest);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  async function start(body: WantedTest): Promise<void> {
    const controller = new AbortController();
    abort.current = controller;
    change({ type: 'asked' });
    let failure: string | undefined;
    try {
      const stream = await openStream(startConnectionTest, { body }, adminClientOptions, { signal: controller.signal });
      await readEvents(stream, (event) => change(connectionTestEventSchema.parse(event)));
    } catch (error) {
      failure = failureText(error);
    }
    // another test was started since
    if (abort.current !== controller) return;
    // closing the stream ends the test, so the broker can't report the end
    if (controller.signal.aborted) change({ type: 'end', result: 'cancelled', text: 'You canceled the test.', ms: 0 });
    else change({ type: 'stream ended', failure });
  }

  return { state, start, cancel: () => abort.current?.abort() };
}
