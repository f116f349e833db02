import { createHash } from 'node:crypto';
import type { Stripe } from 'stripe';
import { makeOnce, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { OfferKind, Offered } from './offered.ts';

/** What is sold, as the payment provider knows it. */
export type ProviderPrice = { productId: string; priceId: string };

const kinds = ['plan', 'package', 'rental'] as const satisfies readonly OfferKind[];

/** The same for every broker and after every restart, so that nothing is created twice. */
export const productIdOf = ({ kind, id }: Pick<Offered, 'kind' | 'id'>): string => `souk_${kind}_${id}`;

/** What a product of the provider is; undefined where it is none of ours. */
export function offerOfProduct(productId: string): { kind: OfferKind; id: string } | undefined {
  const kind = kinds.find((one) => productId.startsWith(`souk_${one}_`));
  return kind && { kind, id: productId.slice(`souk_${kind}_`.length) };
}

/** What the provider has of some offers. */
export type AtProvider = { products: Stripe.Product[]; prices: Stripe.Price[] };

/** As many as one request of Stripe takes. */
const maxLookupKeys = 10;

/** Offers in groups of which the provider can be asked at once. */
export function groupsOf(offered: readonly Offered[]): Offered[][] {
  const groups: Offered[][] = [];
  let free = 0;
  for (const one of offered) {
    const needed = lookupKeysOf(one).length;
    if (free < needed) {
      groups.push([]);
      free = maxLookupKeys;
    }
    groups.at(-1)?.push(one);
    free -= needed;
  }
  return groups;
}

/**
 * What the provider has of all offers of a group, by two requests.
 * @param group one of `groupsOf`
 * @throws SoukError payments_unavailable
 */
export async function readProvider(provider: PaymentProvider, group: readonly Offered[]): Promise<AtProvider> {
  const ids = group.map(productIdOf);
  const keys = group.flatMap(lookupKeysOf);
  const products = await provider.call((stripe) => stripe.products.list({ ids, limit: ids.length }));
  const prices = await provider.call((stripe) => stripe.prices.list({ lookup_keys: keys, limit: keys.length }));
  return { products: products.data, prices: prices.data };
}

/** Only the price of a rental is staged. */
function lookupKeysOf(one: Offered): string[] {
  const key = productIdOf(one);
  return one.kind === 'rental' ? [key, stagedKeyOf(key)] : [key];
}

/**
 * Brings the product and the price at the provider up to what is offered. An amount cannot change there: another price takes
 * the lookup key over, and the old one is sold no more. May be repeated, and run by several brokers at once: the product's
 * id is ours, and a price has an idempotency key made of the price that it follows.
 * @param options.found what the provider has of it; by default it is asked
 * @param options.addsTax tax comes on top of the price, and is no part of it
 * @throws SoukError payments_unavailable
 */
export async function putPrice(
  provider: PaymentProvider,
  offered: Offered,
  { found, addsTax = false }: { found?: AtProvider | undefined; addsTax?: boolean } = {},
): Promise<ProviderPrice> {
  const { products, prices: data } = found ?? (await readProvider(provider, [offered]));
  const productId = productIdOf(offered);
  await putProduct(
    provider,
    offered,
    products.find(({ id }) => id === productId),
  );
  const [lookupKey, stagedKey] = [productId, stagedKeyOf(productId)];
  const known = data.find((price) => price.lookup_key === lookupKey);
  if (known?.active && isSame(known, offered, productId, addsTax)) {
    if (lacksTax(known, addsTax)) await provider.call((stripe) => stripe.prices.update(known.id, onTop));
    return { productId, priceId: known.id };
  }
  const staged = data.find((price) => price.lookup_key === stagedKey);
  if (staged?.active && isSame(staged, offered, productId, addsTax)) {
    const takeOver = { lookup_key: lookupKey, transfer_lookup_key: true, ...(lacksTax(staged, addsTax) && onTop) };
    await provider.call((stripe) => stripe.prices.update(staged.id, takeOver));
    if (known?.active) await provider.call((stripe) => stripe.prices.update(known.id, { active: false }));
    return { productId, priceId: staged.id };
  }
  const priceId = await createPrice(provider, { offered, productId, lookupKey, addsTax, before: known });
  return { productId, priceId };
}

/**
 * Puts the price of something that is sold at another price until this one is offered: putPrice then takes it.
 * @throws SoukError payments_unavailable
 */
export async function stagePrice(
  provider: PaymentProvider,
  offered: Offered,
  { addsTax = false }: { addsTax?: boolean } = {},
): Promise<ProviderPrice> {
  const productId = productIdOf(offered);
  const lookupKey = stagedKeyOf(productId);
  const { data } = await provider.call((stripe) => stripe.prices.list({ lookup_keys: [lookupKey], limit: 1 }));
  const [before] = data;
  if (before?.active && isSame(before, offered, productId, addsTax)) return { productId, priceId: before.id };
  return { productId, priceId: await createPrice(provider, { offered, productId, lookupKey, addsTax, before }) };
}

const stagedKeyOf = (productId: string) => `${productId}_staged`;

/** @param before the price that has the key, and is sold no more from now on */
async function createPrice(
  provider: PaymentProvider,
  {
    offered,
    productId,
    lookupKey,
    addsTax,
    before,
  }: {
    offered: Offered;
    productId: string;
    lookupKey: string;
    addsTax: boolean;
    before: { id: string; active: boolean } | undefined;
  },
): Promise<string> {
  const currency = offered.currency.toLowerCase();
  const { id: priceId } = await makeOnce(
    provider,
    keyOf(
      'price',
      lookupKey,
      offered.amount,
      currency,
      before?.id,
      ...creditsOf(offered),
      ...(addsTax ? ['on top'] : []),
    ),
    (stripe, idempotencyKey) =>
      stripe.prices.create(
        {
          product: productId,
          currency,
          unit_amount: offered.amount,
          ...(offered.kind !== 'package' && { recurring: { interval: 'month' as const } }),
          lookup_key: lookupKey,
          transfer_lookup_key: true,
          ...(addsTax && onTop),
          ...(offered.monthlyCredits !== undefined && { metadata: metadataOf(offered.monthlyCredits) }),
        },
        { idempotencyKey },
      ),
    async () => {
      const { data } = await provider.call((stripe) => stripe.prices.list({ lookup_keys: [lookupKey], limit: 1 }));
      return data.find((price) => isSame(price, offered, productId, addsTax));
    },
  );
  if (before?.active) await provider.call((stripe) => stripe.prices.update(before.id, { active: false }));
  return priceId;
}

async function putProduct(
  provider: PaymentProvider,
  offered: Offered,
  known: Stripe.Product | undefined,
): Promise<void> {
  const id = productIdOf(offered);
  const { name, description } = offered;
  if (known) {
    const isCurrent = known.name === name && known.description === description && known.active;
    if (!isCurrent) await provider.call((stripe) => stripe.products.update(id, { name, description, active: true }));
    return;
  }
  // another broker that creates it at the same time sends the same
  await makeOnce(
    provider,
    keyOf('product', id, name, description),
    (stripe, idempotencyKey) => stripe.products.create({ id, name, description }, { idempotencyKey }),
    () => provider.find((stripe) => stripe.products.retrieve(id)),
  );
}

/** Tax comes on top of the price. Said once of a price, it stays so. */
const onTop = { tax_behavior: 'exclusive' as const };
const lacksTax = (price: Stripe.Price, addsTax: boolean): boolean =>
  addsTax && (price.tax_behavior ?? 'unspecified') === 'unspecified';

function isSame(price: Stripe.Price, offered: Offered, productId: string, addsTax: boolean): boolean {
  const product = typeof price.product === 'string' ? price.product : price.product.id;
  const { amount, currency, monthlyCredits } = offered;
  const isSamePrice = price.unit_amount === amount && price.currency === currency.toLowerCase();
  const areSameCredits = monthlyCredits === undefined || price.metadata[creditsName] === String(monthlyCredits);
  // one that was made by hand may have its tax in it
  const isBeforeTax = !addsTax || price.tax_behavior !== 'inclusive';
  return product === productId && isSamePrice && areSameCredits && isBeforeTax;
}

/** What a price of a plan brings each month: other credits are another price, so that subscribers keep theirs. */
const creditsName = 'monthlyCredits';
const metadataOf = (monthlyCredits: number) => ({ [creditsName]: String(monthlyCredits) });
const creditsOf = ({ monthlyCredits }: Offered) => (monthlyCredits === undefined ? [] : [monthlyCredits]);

/** Bounded, however long the texts are. */
function keyOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
