import type { Catalogue } from '#features/catalogue/index.ts';
import type { UserDirectory } from '#features/identity/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { AccessBook } from '../entitlement/create-access.ts';
import type { Ledger } from '../credits/ledger.ts';
import type { OfferStore } from '../shop/offers/offer-store.ts';
import type { Payments } from '../shop/create-payments.ts';

export type AdministrationParts = {
  db: Pick<Database, 'query' | 'transaction'>;
  livemode: boolean;
  access: Pick<AccessBook, 'read' | 'announce'>;
  offers: Pick<OfferStore, 'plans'>;
  ledger: Pick<Ledger, 'account' | 'setBalance'>;
  catalogue: Pick<Catalogue, 'snapshot' | 'versions'>;
  directory: Pick<UserDirectory, 'find' | 'keep'>;
  /** undefined: nothing is sold, or this process makes no requests to the provider, and a broker makes them later. */
  payments:
    | {
        subscriptions: Pick<Payments['subscriptions'], 'endNow' | 'endWithPeriod'>;
        refunds: Payments['refunds'];
        checkout: Pick<Payments['checkout'], 'closePages'>;
      }
    | undefined;
  clock: Clock;
  uuid: () => string;
  log: Log;
};

export const noSuchUser = (): SoukError => new SoukError('not_found', { message: 'There is no such user' });

/** Keeps the account from being deleted during a transaction. @throws SoukError not_found */
export async function lockUser(
  { directory }: Pick<AdministrationParts, 'directory'>,
  query: Query,
  userId: string,
): Promise<void> {
  if (!(await directory.keep(query, userId))) throw noSuchUser();
}

export const noRefunds = (): SoukError =>
  new SoukError('payments_off', {
    message: 'No refund can be made from here: payments are off, or no broker is running.',
  });
