import type { ProcessGuard } from './transports/process-guard.ts';
import type { ConnectionWatch } from '#platform/http/outgoing/connection-watch.ts';
import type { AllowEntry } from '#platform/http/outgoing/limited-entry.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';

/** One user's credential at a server. Read for each request, because tokens may be renewed during a connection. */
export type UpstreamCredential = {
  /** @throws UpstreamError sign_in_required */
  headers(): Promise<Record<string, string>>;
  /** New headers after the server refused `refused` with a 401; undefined when there are none. */
  renew?(refused: Record<string, string>): Promise<Record<string, string> | undefined>;
  /** Call when the credential lacks scopes. `challenge` is the server's and names the scopes that it requires. */
  wantScopes?(challenge: string): Promise<void>;
  /** Call when the server refused the renewed headers too. */
  giveUp?(refused: Record<string, string>): Promise<void>;
  accepted?(): void;
};

export type NetworkTarget = {
  url: string;
  headers: Record<string, string>;
  credential?: UpstreamCredential;
  /** Host:port and CIDR of addresses that may be private and reached without TLS. */
  allowAddresses: readonly AllowEntry[];
  /** Whether other addresses need https or wss. */
  publicNeedsTls?: boolean | undefined;
  /** The way out for requests; by default direct. */
  outgoing?: Outgoing | undefined;
  /** Called with the steps of opening each connection. */
  watch?: ConnectionWatch | undefined;
};

export type ProgramTarget = {
  argv: readonly [string, ...string[]];
  cwd: string;
  /** The child's whole environment. */
  env: Record<string, string>;
  onStarted?: ((pid: number) => void) | undefined;
  guard?: ProcessGuard | undefined;
};

/** Where a server is, and the only headers or environment variables that it gets. */
export type UpstreamTarget =
  | ({ type: 'http' } & NetworkTarget)
  /** The credential is read at the handshake and renewed there once. */
  | ({ type: 'websocket' } & NetworkTarget)
  | ({ type: 'stdio' } & ProgramTarget);
