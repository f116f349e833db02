export const eventStream = 'text/event-stream';

/** The headers of an event stream that proxies neither cache nor delay. */
export const streamHeaders = {
  'content-type': eventStream,
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** One message as a server-sent event. @param text its JSON */
export function eventOf(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}
