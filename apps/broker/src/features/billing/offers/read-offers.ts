import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { amountFault, currencyFault } from '@souk/contract/currencies.ts';
import { tierSchema } from '@souk/contract/tiers.ts';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be a short name such as pro');
const line = (most: number) => z.string().min(1).max(most);
const currency = z.string().regex(/^[A-Z]{3}$/, 'must be a three-letter currency code');
const cents = z.int().min(0).max(100_000_00);

const offersSchema = z
  .strictObject({
    plans: z
      .array(
        z.strictObject({
          planId: id,
          name: line(60),
          description: line(300),
          tier: tierSchema,
          /** Cents a period. */
          amount: cents,
          currency,
          period: z.enum(['month']),
          features: z.array(line(120)).max(20),
          monthlyCredits: z.int().min(0).max(1_000_000),
        }),
      )
      .max(20),
    packages: z
      .array(
        z.strictObject({
          packageId: id,
          name: line(60),
          credits: z.int().min(1).max(10_000_000),
          bonus: z.int().min(0).max(10_000_000),
          /** Cents. */
          price: cents.min(1),
          currency,
        }),
      )
      .max(20),
  })
  .superRefine(({ plans, packages }, context) => {
    const ids = [...plans.map(({ planId }) => planId), ...packages.map(({ packageId }) => packageId)];
    for (const twice of ids.filter((one, index) => ids.indexOf(one) !== index))
      context.addIssue({ code: 'custom', message: `${twice} is the id of two offers` });
    const currencies = new Set([...plans, ...packages].map((offer) => offer.currency));
    if (currencies.size > 1)
      context.addIssue({
        code: 'custom',
        message: `all prices must be in one currency, not ${[...currencies].join(', ')}`,
      });
    for (const [list, offers] of Object.entries({ plans, packages }))
      for (const [index, offer] of offers.entries()) {
        const [name, amount] = 'amount' in offer ? ['amount', offer.amount] : ['price', offer.price];
        const fault = currencyFault(offer.currency);
        if (fault) context.addIssue({ code: 'custom', path: [list, index, 'currency'], message: fault });
        // the free plan costs nothing
        const tooLittle = amount === 0 || fault ? undefined : amountFault(amount, offer.currency);
        if (tooLittle) context.addIssue({ code: 'custom', path: [list, index, name], message: tooLittle });
      }
    for (const { planId, tier, amount } of plans)
      if ((tier === 'T0') !== (amount === 0))
        context.addIssue({ code: 'custom', message: `${planId}: a plan is free if and only if its tier is T0` });
  });

/** What is sold: catalogue/offers.json. */
export type Offers = z.output<typeof offersSchema>;

/** The one currency of what is sold. undefined where nothing is, or the file is unreadable: the start says so. */
export function readCurrency(file: string): string | undefined {
  try {
    return currencyOf(offersSchema.parse(JSON.parse(readFileSync(file, 'utf8'))));
  } catch {
    return undefined;
  }
}

/** Of plans and packages, whose file is checked for having one alone. */
export const currencyOf = ({ plans, packages }: Offers): string | undefined => [...plans, ...packages][0]?.currency;

/** @throws Error that names the file and what is wrong in it: the start fails */
export async function readOffers(file: string): Promise<Offers> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} could not be read as JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  const { data, error } = offersSchema.safeParse(value);
  if (data) return data;
  const problems = error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' '));
  throw new Error(`${file}: ${problems.join('; ')}`);
}
