import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { Catalogue, ServerManifest } from '#features/catalogue/index.ts';
import type { ClientIdentityOptions } from './client/client-document.ts';
import type { AccountStore } from './account-store.ts';
import type { SignInAddress } from './sign-in-address.ts';
import type { IssuerStore } from './issuers/issuer-store.ts';
import type { OperatorSecrets } from './client/operator-secrets.ts';
import type { PendingSignIns } from './pending-sign-ins.ts';

export type SignInParts = {
  catalogue: Pick<Catalogue, 'snapshot'>;
  store: AccountStore;
  pending: PendingSignIns;
  issuers: IssuerStore;
  identity: ClientIdentityOptions;
  secrets: OperatorSecrets;
  /** Returns the current address of a server. @throws UpstreamError restarting while its service is not running */
  addressOf(server: ServerManifest): SignInAddress;
  /**
   * Called when a user's account at a server changed: retires their connections to it on every replica, and refreshes
   * lists.
   */
  onChanged(userId: string, serverId: string): Promise<void>;
  publicUrl: string;
  clock: Clock;
  ids: Ids;
  log: Log;
};
