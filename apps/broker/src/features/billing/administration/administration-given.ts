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

/** What administrators' work on people's money and access needs. */
export type AdministrationGiven = {
  db: Pick<Database, 'query' | 'transaction'>;
  livemode: boolean;
  access: Pick<AccessBook, 'read' | 'announce'>;
  offers: Pick<OfferStore, 'plans'>;
  ledger: Pick<Ledger, 'account' | 'setBalance'>;
  catalogue: Pick<Catalogue, 'snapshot' | 'versions'>;
  directory: Pick<UserDirectory, 'find' | 'keep'>;
  /** undefined: nothing is sold, or the provider cannot be asked from here; a broker asks it later then. */
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

/** Keeps the account from being deleted while something is given or taken. @throws SoukError not_found */
export async function keepUser(
  { directory }: Pick<AdministrationGiven, 'directory'>,
  query: Query,
  userId: string,
): Promise<void> {
  if (!(await directory.keep(query, userId))) throw noSuchUser();
}
