import type { UpstreamTarget } from '#adapters/mcp/target.ts';
import type { Catalogue, ManifestPolicy } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { TargetOptions } from '../pool/upstream-target.ts';
import type { UpstreamSignIn } from '../sign-in/create-upstream-sign-in.ts';
import type { OperatorSecrets } from '../sign-in/client/operator-secrets.ts';
import type { Progress, Tell } from './progress.ts';
import type { TestChildren } from './test-children.ts';
import type { WatchedConnection } from './watch-connection.ts';

/** What tests work with: the same as deployments. */
export type TestParts = TargetOptions & {
  catalogue: Pick<Catalogue, 'inspectOffer' | 'versions' | 'findManifest'>;
  policy: ManifestPolicy;
  secrets: Pick<OperatorSecrets, 'header' | 'unboundOf'>;
  /** A text about a server without its secrets: a server may repeat what was sent to it. */
  hide(serverId: string, text: string): string;
  signIn: Pick<UpstreamSignIn, 'needsAccount'>;
  children: TestChildren;
  clock: Clock;
  log: Log;
};

/** What the steps of one test share. */
export type Running = { parts: TestParts; progress: Progress; tell: Tell; signal: AbortSignal };

/** Where the server is, and what ends when the test does. */
export type Way = {
  target: UpstreamTarget;
  watched?: WatchedConnection;
  /** Takes what a program writes to stderr. */
  heard?: (lines: readonly string[]) => void;
  leave(): Promise<void>;
};
