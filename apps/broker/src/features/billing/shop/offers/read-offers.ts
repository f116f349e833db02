import { readFileSync } from 'node:fs';
import { issueText } from '@souk/contract/manifest/issue-text.ts';
import { tierSchema } from '@souk/contract/tiers.ts';
import { z } from 'zod';
import { ConfigError } from '#platform/config.ts';
import { faultsOfOffers } from './faults-of-offers.ts';

const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be a short name such as pro');
const line = (most: number) => z.string().min(1).max(most);
const currency = z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters, such as USD');
const cents = z.int().min(0).max(100_000_00);

/** Limit of welcome credits. More would invite sign-ups with made-up addresses. */
const welcome = z.int().min(0).max(10_000).default(0);

const offersSchema = z.strictObject({
  /** Credits that each new account is given: with the stand-in or a test key, and with real payments. None by default. */
  welcomeCredits: z.strictObject({ demo: welcome, live: welcome }).default({ demo: 0, live: 0 }),
  plans: z
    .array(
      z.strictObject({
        planId: id,
        name: line(60),
        description: line(300),
        tier: tierSchema,
        /** Cents per period. */
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

/** All of catalogue/offers.json. */
export type OffersFile = z.output<typeof offersSchema>;

export type Offers = Pick<OffersFile, 'plans' | 'packages'>;

/** Reads the currency of what is sold. undefined where nothing is sold, or the file is invalid, which the start reports. */
export function readCurrency(file: string): string | undefined {
  const { offers } = read(file);
  return offers && currencyOf(offers);
}

/** The currency of all plans and packages: the file is checked to have only one. */
export const currencyOf = ({ plans, packages }: Offers): string | undefined => [...plans, ...packages][0]?.currency;

/** @throws ConfigError with the file and all its faults: the start fails */
export function readOffers(file: string): OffersFile {
  const { offers, problems } = read(file);
  if (!offers) throw new ConfigError(problems.map((problem) => `${file}: ${problem}`));
  return offers;
}

function read(file: string): { offers?: OffersFile; problems: readonly string[] } {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return { problems: [`could not be read as JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const { data, error } = offersSchema.safeParse(value);
  const malformed = (error?.issues ?? []).map((issue) => [issue.path.join('.'), issueText(issue)].join(' ').trim());
  const problems = [...malformed, ...faultsOfOffers(value)];
  return data && problems.length === 0 ? { offers: data, problems } : { problems };
}
