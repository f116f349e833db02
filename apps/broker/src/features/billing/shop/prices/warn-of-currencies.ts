import { amountFault, currencyFault } from '@souk/contract/billing/currencies.ts';
import type { CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Log } from '#platform/log.ts';

/**
 * Warns of rentals that cannot be sold: a customer of the payment provider pays in one currency, and the provider has a minimum
 * amount. Manifests are checked for both; a deployed one can still fail if the shop's currency has changed since.
 */
export function warnOfCurrencies(currency: string | undefined, { servers }: CatalogueSnapshot, log: Log): void {
  for (const { id, manifest } of servers) {
    const { rental } = manifest.billing ?? {};
    if (!rental) continue;
    const warn = (field: string, fault: string) =>
      log.warn({ serverId: id, field }, `the rental of ${id} is not sold: ${field} ${fault}`);
    const fault = currencyFault(rental.currency);
    const tooLittle = amountFault(rental.price, rental.currency);
    if (fault) warn('billing.rental.currency', fault);
    else if (currency !== undefined && rental.currency !== currency)
      warn(
        'billing.rental.currency',
        `is ${rental.currency}, and all prices must be in ${currency}, as those of the plans and packages`,
      );
    else if (tooLittle) warn('billing.rental.price', tooLittle);
  }
}
