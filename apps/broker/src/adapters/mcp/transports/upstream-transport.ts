import type { AllowEntry } from '#platform/http/outgoing/limited-entry.ts';
import type { Transport } from '@modelcontextprotocol/client';
import type { ConnectionWatch } from '#platform/http/outgoing/connection-watch.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import type { HttpEndpoint } from '../fast/fast-channel.ts';
import type { UpstreamCredential } from '../target.ts';
import type { UpstreamError } from '../upstream-error.ts';
import type { Pace } from '../wire/pace.ts';

/** A transport that reports why it ended: open calls fail with that reason instead of "closed". */
export type UpstreamTransport = Transport & {
  readonly ended: UpstreamError | undefined;
  readonly pid?: number | undefined;
  /** Only HTTP transports have one, once they are open. */
  endpoint?(): HttpEndpoint | undefined;
  /** Ends it at once: after a failed handshake a graceful shutdown is not worth waiting for. */
  abort(): Promise<void>;
};

export type NetworkTransportOptions = {
  url: URL;
  headers: Record<string, string>;
  credential?: UpstreamCredential;
  /** Host:port and CIDR of addresses that may be private, and reached without TLS. */
  allowAddresses: readonly AllowEntry[];
  /** Other addresses only with https or wss. */
  publicNeedsTls?: boolean | undefined;
  /** How requests leave; by default directly. */
  outgoing?: Outgoing | undefined;
  /** Is told how each connection comes about. */
  watch?: ConnectionWatch | undefined;
  connectTimeoutMs: number;
  maxResultBytes: number;
  /** For reading notices, shared by all connections to the server. */
  pace: Pace;
};
