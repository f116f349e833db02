import type { Dispatcher } from 'undici';
import type { PlainChannel } from './plain-channel.ts';

/** A server that does not take a notice must not hold the call's socket. */
const noticeTimeoutMs = 1000;

/** Tells a legacy server that nobody waits for the answer any more; `then` runs when it has heard, or will not. */
export function sendCancelled(channel: PlainChannel, requestId: number, reason: string, then: () => void): void {
  const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } };
  const { dispatcher, origin, path, headers } = channel;
  let controller: Dispatcher.DispatchController | undefined;
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    then();
  };
  const timer = setTimeout(() => {
    controller?.abort(new Error('the notice was not taken'));
    end();
  }, noticeTimeoutMs);
  timer.unref();
  try {
    dispatcher.dispatch(
      { origin, path, method: 'POST', headers, body: JSON.stringify(message) },
      {
        onRequestStart: (started) => void (controller = started),
        onResponseStart: end,
        onResponseData() {},
        onResponseEnd: end,
        onResponseError: end,
      },
    );
  } catch {
    end();
  }
}
