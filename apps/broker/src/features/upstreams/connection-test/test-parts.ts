import type { UpstreamTarget } from '#adapters/mcp/target.ts';
import type { Catalogue, ManifestPolicy } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { TargetOptions } from '../pool/upstream-target.ts';
import type { UpstreamSignIn } from '../sign-in/create-upstream-sign-in.ts';
import type { OperatorSecrets } from '../sign-in/client/operator-secrets.ts';
import type { Progress, Tell } from './progress.ts';
import type { WatchedConnection } from './watch-connection.ts';

export type TestChild = { serverId: string; pid: number; startedAtMs: number };

/** Parts of a test, the same as deployments need. */
export type TestParts = TargetOptions & {
  catalogue: Pick<Catalogue, 'inspectLists' | 'versions' | 'findManifest'>;
  policy: ManifestPolicy;
  secrets: Pick<OperatorSecrets, 'header' | 'unboundOf'>;
  /** Removes a server's secrets from a text about it: a server may repeat what was sent to it. */
  hide(serverId: string, text: string): string;
  signIn: Pick<UpstreamSignIn, 'needsAccount'>;
  /** Processes by test. A test has one at a time: a new one replaces one that has ended. */
  children: Map<string, TestChild>;
  clock: Clock;
  log: Log;
};

export type Running = { parts: TestParts; progress: Progress; tell: Tell; signal: AbortSignal };

/** How to reach the server, and what to clean up after the test. */
export type TestRoute = {
  target: UpstreamTarget;
  watched?: WatchedConnection;
  /** Records what a program writes to stderr. */
  onDiagnostics?: (lines: readonly string[]) => void;
  leave(): Promise<void>;
};
