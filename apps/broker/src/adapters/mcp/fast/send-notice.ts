import type { Dispatcher } from 'undici';
import type { FastChannel } from './fast-channel.ts';

/** Time limit of a notice: a server that does not accept it must not keep the call's socket open. */
const noticeTimeoutMs = 1000;

/** Sends a legacy server the cancellation of a request. `then` runs when the server has accepted it, or failed to. */
export function sendCancelled(channel: FastChannel, requestId: number, reason: string, then: () => void): void {
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
    controller?.abort(new Error('the server did not accept the notice in time'));
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
