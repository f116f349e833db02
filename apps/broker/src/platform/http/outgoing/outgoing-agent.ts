import { Agent, type Dispatcher } from 'undici';
import { version } from '../../../version.ts';

/**
 * Headers of all our requests. Web firewalls answer 403 to requests without a User-Agent. We ask for uncompressed answers
 * (RFC 9110, section 12.5.3), since a compressed one may be a thousand times as large as it looks.
 */
export const ownHeaders = { 'user-agent': `souk/${version}`, 'accept-encoding': 'identity' } as const;

/** An undici agent that adds `ownHeaders` to requests without them. Names of headers are in lower case. */
export class OutgoingAgent extends Agent {
  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return super.dispatch({ ...options, headers: withOwnHeaders(options.headers) }, handler);
  }
}

function withOwnHeaders(headers: Agent.DispatchOptions['headers']): NonNullable<Agent.DispatchOptions['headers']> {
  if (headers === null || headers === undefined) return ownHeaders;
  // a list of names and values, as Node's own fetch makes it, already has both
  if (Array.isArray(headers) || Symbol.iterator in headers) return headers;
  return { ...ownHeaders, ...headers };
}
