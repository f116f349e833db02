import { createHash } from 'node:crypto';
import type { Stripe } from 'stripe';
import { makeOnce, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { idOf } from '../id-of.ts';
import type { OfferKind, Offered } from './offered.ts';

export type ProviderPrice = { productId: string; priceId: string };

const kinds = ['plan', 'package', 'rental'] as const satisfies readonly OfferKind[];

/** Stable on every broker and after every restart, so that nothing is created twice. */
export const productIdOf = ({ kind, id }: Pick<Offered, 'kind' | 'id'>): string => `souk_${kind}_${id}`;

/** The offer behind a product of the provider; undefined where the product is not ours. */
export function offerOfProduct(productId: string): { kind: OfferKind; id: string } | undefined {
  const kind = kinds.find((one) => productId.startsWith(`souk_${one}_`));
  return kind && { kind, id: productId.slice(`souk_${kind}_`.length) };
}

export type AtProvider = { products: Stripe.Product[]; prices: Stripe.Price[] };

const maxLookupKeys = 10;

/** Splits offers into groups that fit one request. */
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

/** Reads what the provider has of all offers of a group, with two requests. @throws SoukError payments_unavailable */
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
 * Updates the product and the price at the provider. An amount cannot change there: another price takes over the lookup key,
 * and the old one is deactivated. Repeatable, also on several brokers concurrently: the product's id is ours, and the
 * idempotency key of a price includes the price that it replaces.
 * @param options.found what the provider has of it; by default it is read
 * @param options.addsTax tax is added to the price
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

/** Stages a new price while the old one is sold: putPrice takes it once it is offered. @throws SoukError payments_unavailable */
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

/** @param before the price that has the key, which is deactivated */
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
  // another broker that creates it concurrently sends the same request
  await makeOnce(
    provider,
    keyOf('product', id, name, description),
    (stripe, idempotencyKey) => stripe.products.create({ id, name, description }, { idempotencyKey }),
    () => provider.find((stripe) => stripe.products.retrieve(id)),
  );
}

/** Tax is added to the price. Once set, it cannot be changed. */
const onTop = { tax_behavior: 'exclusive' as const };
const lacksTax = (price: Stripe.Price, addsTax: boolean): boolean =>
  addsTax && (price.tax_behavior ?? 'unspecified') === 'unspecified';

function isSame(price: Stripe.Price, offered: Offered, productId: string, addsTax: boolean): boolean {
  const { amount, currency, monthlyCredits } = offered;
  const isSamePrice = price.unit_amount === amount && price.currency === currency.toLowerCase();
  const areSameCredits = monthlyCredits === undefined || price.metadata[creditsName] === String(monthlyCredits);
  // a price that was made by hand may include its tax
  const isBeforeTax = !addsTax || price.tax_behavior !== 'inclusive';
  return idOf(price.product) === productId && isSamePrice && areSameCredits && isBeforeTax;
}

/** Monthly credits of a plan's price: other credits need another price, so that subscribers keep theirs. */
const creditsName = 'monthlyCredits';
const metadataOf = (monthlyCredits: number) => ({ [creditsName]: String(monthlyCredits) });
const creditsOf = ({ monthlyCredits }: Offered) => (monthlyCredits === undefined ? [] : [monthlyCredits]);

/** A hash, since the texts may be long. */
function keyOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
