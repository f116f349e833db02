import type { Query } from '#platform/db/database.ts';

/** Each figure has a value for this span and one for the span before it, which is as long. */
export type BothSpans = { now: number; before: number };

/** What runs is counted at the end of each span. */
export type PaidFor = { active: BothSpans; began: BothSpans; ended: BothSpans };

export type BillingFigures = {
  /** What was paid less what went back and less its tax, by currency, in minor units; `byDay` of this span. `tax` comes on top. */
  revenue: (BothSpans & { currency: string; byDay: ReadonlyMap<string, number>; tax: BothSpans })[];
  plans: PaidFor;
  rentals: PaidFor;
  credits: {
    /** In packages and plans, less what was taken back. */
    sold: BothSpans;
    used: BothSpans;
    /** People paid for these credits and have not used them at the end of each span. */
    owed: BothSpans;
    /** The same of what they were given. */
    given: BothSpans;
    usedByDay: ReadonlyMap<string, number>;
  };
};

type Row = { figure: string; currency: string; day: string | null; amount: number };

/**
 * Reads the sums by day. Single payments, entries and lots are not read.
 * @param span its first day, and the first of the span before it (UTC)
 */
export async function readBillingFigures(
  query: Query,
  { livemode, from, before }: { livemode: boolean; from: string; before: string },
): Promise<BillingFigures> {
  const { rows } = await query<Row>(
    // what is older is a sum: its day is null
    `select figure, currency, to_char(case when day >= $3::date then day end, 'YYYY-MM-DD') as day, sum(amount)::bigint as amount
     from figures_by_day where livemode = $1 and figure = any($2::text[]) group by 1, 2, 3`,
    [livemode, figures, before],
  );
  const of = (names: readonly string[], currency = '') =>
    rows.filter((row) => names.includes(row.figure) && row.currency === currency);
  const sum = (found: readonly Row[]) => found.reduce((total, row) => total + row.amount, 0);
  const spans = (found: readonly Row[]): BothSpans => ({
    now: sum(found.filter(({ day }) => day !== null && day >= from)),
    before: sum(found.filter(({ day }) => day !== null && day < from)),
  });
  const levels = (found: readonly Row[]): BothSpans => ({
    now: sum(found),
    before: sum(found.filter(({ day }) => day === null || day < from)),
  });
  const byDay = (found: readonly Row[]) => {
    const days = new Map<string, number>();
    for (const { day, amount } of found) if (day !== null && day >= from) days.set(day, (days.get(day) ?? 0) + amount);
    return days;
  };
  const negative = (found: readonly Row[]) => found.map((row) => ({ ...row, amount: -row.amount }));
  const paidFor = (what: 'plans' | 'rentals'): PaidFor => {
    const [began, ended] = [of([`${what}_new`]), of([`${what}_lost`])];
    return { active: levels([...began, ...negative(ended)]), began: spans(began), ended: spans(ended) };
  };
  const currencies = [...new Set(rows.flatMap(({ currency }) => (currency === '' ? [] : [currency])))];
  const used = negative(of(['credits_usage']));
  return {
    revenue: currencies.toSorted().flatMap((currency) => {
      const taxes = of(['tax'], currency);
      const found = [...of(['paid'], currency), ...negative([...of(['returned'], currency), ...taxes])];
      const isOfSpans = found.some(({ day }) => day !== null);
      return isOfSpans ? [{ currency, ...spans(found), byDay: byDay(found), tax: spans(taxes) }] : [];
    }),
    plans: paidFor('plans'),
    rentals: paidFor('rentals'),
    credits: {
      sold: spans(of(sold)),
      used: spans(used),
      owed: levels(of(['left_plan', 'left_purchased'])),
      given: levels(of(['left_promotional'])),
      usedByDay: byDay(used),
    },
  };
}

const sold = ['credits_plan', 'credits_purchased', 'credits_refund', 'credits_dispute'];
const figures = [
  'paid',
  'returned',
  'tax',
  'plans_new',
  'plans_lost',
  'rentals_new',
  'rentals_lost',
  'credits_usage',
  'left_plan',
  'left_purchased',
  'left_promotional',
  ...sold,
];
