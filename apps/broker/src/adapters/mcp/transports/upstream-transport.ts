import type { Transport } from '@modelcontextprotocol/client';
import type { HttpEndpoint } from '../fast/fast-channel.ts';
import type { NetworkTarget } from '../target.ts';
import type { UpstreamError } from '../upstream-error.ts';
import type { Pace } from '../wire/pace.ts';

/** A transport that reports why it ended: open calls fail with that reason instead of "closed". */
export type UpstreamTransport = Transport & {
  readonly ended: UpstreamError | undefined;
  readonly pid?: number | undefined;
  /** The sockets and session of an open HTTP transport. Other transports have none. */
  endpoint?(): HttpEndpoint | undefined;
  /** Ends the transport immediately: after a failed handshake, a graceful shutdown is not worth waiting for. */
  abort(): Promise<void>;
};

export type NetworkTransportOptions = Omit<NetworkTarget, 'url'> & {
  url: URL;
  connectTimeoutMs: number;
  maxResultBytes: number;
  /** The pace of reading notices, shared by all connections to the server. */
  pace: Pace;
};
