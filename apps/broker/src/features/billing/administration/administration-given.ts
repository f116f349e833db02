import type { Catalogue } from '#features/catalogue/index.ts';
import type { UserDirectory } from '#features/identity/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { AccessBook } from '../access/create-access.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OfferStore } from '../offers/offer-store.ts';
import type { Subscriptions } from '../subscriptions/create-subscriptions.ts';

/** What administrators' work on people's money and access needs. */
export type AdministrationGiven = {
  db: Pick<Database, 'query' | 'transaction'>;
  livemode: boolean;
  access: AccessBook;
  offers: OfferStore;
  ledger: Ledger;
  catalogue: Pick<Catalogue, 'snapshot'>;
  directory: UserDirectory;
  /** undefined: nothing is sold. */
  subscriptions: Pick<Subscriptions, 'endNow'> | undefined;
  /** Keeps the account from being deleted while something is given. @throws SoukError not_found */
  keepUser(query: Query, userId: string): Promise<void>;
  clock: Clock;
  uuid: () => string;
  log: Log;
};

export const noSuchUser = (): SoukError => new SoukError('not_found', { message: 'There is no such user' });
