import type { ProcessGuard } from './transports/process-guard.ts';
import type { ConnectionWatch } from '#platform/http/outgoing/connection-watch.ts';
import type { AllowEntry } from '#platform/http/outgoing/limited-entry.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';

/** One user's credential at a server. Read for each request, because tokens are renewed during a connection. */
export type UpstreamCredential = {
  /** @throws UpstreamError sign_in_required */
  headers(): Promise<Record<string, string>>;
  /** New headers after the server refused `refused` with a 401; undefined when there are none. */
  renew?(refused: Record<string, string>): Promise<Record<string, string> | undefined>;
  /** The credential is valid but lacks scopes: `challenge` is the server's and names the scopes it requires. */
  wantScopes?(challenge: string): Promise<void>;
  /** The server refused the renewed headers too. */
  giveUp?(refused: Record<string, string>): Promise<void>;
  /** The server took the headers. */
  accepted?(): void;
};

type NetworkTarget = {
  url: string;
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
};

/** Where a server is, and the only headers or environment variables that it gets. */
export type UpstreamTarget =
  | ({ type: 'http' } & NetworkTarget)
  /** The credential is read at the handshake and renewed there once. */
  | ({ type: 'websocket' } & NetworkTarget)
  | {
      type: 'stdio';
      argv: readonly [string, ...string[]];
      cwd: string;
      /** The whole environment of the child. */
      env: Record<string, string>;
      /** Is told of each process that was started. */
      onStarted?: ((pid: number) => void) | undefined;
      guard?: ProcessGuard | undefined;
    };
