import type { CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Offers } from '../offers/read-offers.ts';

/**
 * The payment provider lets one person pay in one currency alone. That the plans and packages have one, their file is
 * checked for.
 * @throws Error that names the server whose rental has another currency: the start fails
 */
export function requireOneCurrency({ plans, packages }: Offers, { servers }: CatalogueSnapshot): void {
  const currency = [...plans, ...packages][0]?.currency;
  for (const { id, manifest } of servers) {
    const rented = manifest.billing?.rental?.currency;
    if (currency === undefined || rented === undefined || rented === currency) continue;
    throw new Error(
      `the rental of ${id} is priced in ${rented}, the plans and packages in ${currency}: all prices must be in one currency`,
    );
  }
}
