import { readFileSync } from 'node:fs';
import { tierSchema } from '@souk/contract/tiers.ts';
import { z } from 'zod';
import { ConfigError } from '#platform/config.ts';
import { faultsOfOffers } from './faults-of-offers.ts';

const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be a short name such as pro');
const line = (most: number) => z.string().min(1).max(most);
const currency = z.string().regex(/^[A-Z]{3}$/, 'must be a three-letter currency code');
const cents = z.int().min(0).max(100_000_00);

const offersSchema = z.strictObject({
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
});

/** What is sold: catalogue/offers.json. */
export type Offers = z.output<typeof offersSchema>;

/** The one currency of what is sold. undefined where nothing is, or the file is unreadable: the start says so. */
export function readCurrency(file: string): string | undefined {
  const { offers } = read(file);
  return offers && currencyOf(offers);
}

/** Of plans and packages, whose file is checked for having one alone. */
export const currencyOf = ({ plans, packages }: Offers): string | undefined => [...plans, ...packages][0]?.currency;

/** @throws ConfigError that names the file and everything that is wrong in it: the start fails */
export function readOffers(file: string): Offers {
  const { offers, problems } = read(file);
  if (!offers) throw new ConfigError(problems.map((problem) => `${file}: ${problem}`));
  return offers;
}

/** Either the offers, or all that is wrong with them. */
function read(file: string): { offers?: Offers; problems: readonly string[] } {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return { problems: [`could not be read as JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const { data, error } = offersSchema.safeParse(value);
  const malformed = (error?.issues ?? []).map(({ path, message }) => [path.join('.'), message].join(' ').trim());
  const problems = [...malformed, ...faultsOfOffers(value)];
  return data && problems.length === 0 ? { offers: data, problems } : { problems };
}
