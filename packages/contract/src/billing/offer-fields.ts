import { z } from 'zod';
import { currencyFault, leastAmount, moneyText } from './currencies.ts';
import { line } from '../manifest/manifest-basics.ts';
import { tierSchema } from '../tiers.ts';

// Fields of an offer that an administrator edits. The form validates them before sending, and the broker validates them
// again.

/** Plan of users who pay for none: it costs nothing and cannot be bought or archived. */
export const freePlanId = 'free';

/** Offers per kind, including archived ones, which are kept forever. */
export const maxOffersPerKind = 100;

const whole = (least: number, most: number) =>
  z
    .int('must be a whole number')
    .min(least, `must be ${least} or more`)
    .max(most, `must be at most ${most.toLocaleString('en')}`);

/** Highest price of an offer, in cents. */
export const maxAmount = 100_000_00;

const shared = {
  name: line(60),
  /** Cents: per month for a plan, once for a package. */
  amount: whole(0, maxAmount),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters, such as USD'),
  /** True for at most one offer per kind. */
  popular: z.boolean(),
  /** Position among the offers of its kind on sale, from 1. Absent: unchanged, or last for a new one. */
  place: whole(1, maxOffersPerKind).optional(),
};

export const planFieldsSchema = z.strictObject({
  kind: z.literal('plan'),
  ...shared,
  description: line(300),
  features: z.array(line(120)).max(20, 'must be at most 20'),
  tier: tierSchema,
  monthlyCredits: whole(0, 1_000_000),
});

export const packageFieldsSchema = z.strictObject({
  kind: z.literal('package'),
  ...shared,
  credits: whole(1, 10_000_000),
  /** Given on top of `credits`. */
  bonus: whole(0, 10_000_000),
});

export const offerFieldsSchema = z.discriminatedUnion('kind', [planFieldsSchema, packageFieldsSchema]);
export type OfferFields = z.output<typeof offerFieldsSchema>;
export type PlanFields = z.output<typeof planFieldsSchema>;
export type PackageFields = z.output<typeof packageFieldsSchema>;

const shownShared = { name: z.string(), amount: z.int(), currency: z.string(), popular: z.boolean() };

/** Stored fields, without the limits above: offers.json may have been read under looser ones. */
export const shownFieldsSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('plan'),
    ...shownShared,
    description: z.string(),
    features: z.array(z.string()),
    tier: tierSchema,
    monthlyCredits: z.int(),
  }),
  z.object({ kind: z.literal('package'), ...shownShared, credits: z.int(), bonus: z.int() }),
]);

export const offerIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 lowercase letters, digits and hyphens, such as pro');

export type OfferFault = { path: string; message: string };

/**
 * Returns the problems of well-formed fields.
 * @param shop.currency currency of all prices; undefined if nothing is sold yet
 */
export function faultsOfFields(
  offerId: string,
  fields: OfferFields,
  shop: { currency: string | undefined },
): OfferFault[] {
  const faults: OfferFault[] = [];
  const { amount, currency } = fields;
  const isFree = fields.kind === 'plan' && offerId === freePlanId;
  const currencyProblem = currencyFault(currency);
  if (currencyProblem) faults.push({ path: 'currency', message: currencyProblem });
  else if (shop.currency !== undefined && currency !== shop.currency)
    faults.push({ path: 'currency', message: `must be ${shop.currency}: all prices of the shop are in one currency` });
  if (isFree) {
    if (amount !== 0) faults.push({ path: 'amount', message: 'must be 0: the Free plan costs nothing' });
    if (fields.tier !== 'T0') faults.push({ path: 'tier', message: 'must be T0, the tier of the Free plan' });
    if (fields.monthlyCredits !== 0)
      faults.push({ path: 'monthlyCredits', message: 'must be 0: credits come with a paid month' });
    return faults;
  }
  if (fields.kind === 'plan' && fields.tier === 'T0')
    faults.push({ path: 'tier', message: 'must be T1, T2 or T3: T0 is the tier of the Free plan' });
  const least = leastAmount(currency);
  // worded for fields in cents and in dollars
  if (!currencyProblem && amount < least)
    faults.push({
      path: 'amount',
      message: `must be at least ${moneyText(least, currency)}, the least that the payment provider charges`,
    });
  return faults;
}
