import type { CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Log } from '#platform/log.ts';

/**
 * The payment provider lets one person pay in one currency alone: a rental in another one is not sold. Manifests are refused for
 * that; one that is deployed all the same is from before the shop's currency was changed.
 */
export function warnOfCurrencies(currency: string | undefined, { servers }: CatalogueSnapshot, log: Log): void {
  for (const { id, manifest } of servers) {
    const rented = manifest.billing?.rental?.currency;
    if (currency === undefined || rented === undefined || rented === currency) continue;
    log.warn(
      { serverId: id, field: 'billing.rental.currency' },
      `the rental of ${id} is not sold: billing.rental.currency is ${rented}, and all prices must be in ${currency}, as those of the plans and packages`,
    );
  }
}
