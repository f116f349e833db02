import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { ClientIdentityOptions } from './client-identity.ts';
import type { ConnectionStore } from './connection-store.ts';
import type { SignInAddress } from './discover-sign-in.ts';
import type { OperatorSecrets } from './operator-secrets.ts';
import type { PendingSignIns } from './pending-sign-ins.ts';

/** What the use cases of a sign-in work with. */
export type SignInParts = {
  store: ConnectionStore;
  pending: PendingSignIns;
  identity: ClientIdentityOptions;
  secrets: OperatorSecrets;
  /** Where a server is now. @throws UpstreamError unreachable while its service is not running */
  addressOf(server: CatalogueServer): SignInAddress;
  /** Somebody's connection to a server has changed: open ones end here and on every replica, and lists may differ. */
  onChanged(userId: string, serverId: string): Promise<void>;
  publicUrl: string;
  clock: Clock;
  ids: Ids;
  log: Log;
};
