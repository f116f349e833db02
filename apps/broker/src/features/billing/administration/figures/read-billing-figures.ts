import type { Query } from '#platform/db/database.ts';

/** Values of a figure for this span and for the previous one, which is as long. */
export type BothSpans = { now: number; before: number };

/** `active` is counted at the end of each span. */
export type PaidFor = { active: BothSpans; began: BothSpans; ended: BothSpans };

export type BillingFigures = {
  /** Payments less refunds and tax, by currency, in minor units; `byDay` covers this span. `tax` is not included. */
  revenue: (BothSpans & { currency: string; byDay: ReadonlyMap<string, number>; tax: BothSpans })[];
  plans: PaidFor;
  rentals: PaidFor;
  credits: {
    /** Credits of packages and plans, less those that were clawed back. */
    sold: BothSpans;
    used: BothSpans;
    /** Paid credits that are unused at the end of each span. */
    owed: BothSpans;
    /** The same for credits that were given for free. */
    given: BothSpans;
    usedByDay: ReadonlyMap<string, number>;
  };
};

type Row = { figure: string; currency: string; day: string | null; amount: number };

/**
 * Reads the sums by day, and no single payments, entries or lots.
 * @param span first day of the span, and of the previous one (UTC)
 */
export async function readBillingFigures(
  query: Query,
  { livemode, from, before }: { livemode: boolean; from: string; before: string },
): Promise<BillingFigures> {
  const { rows } = await query<Row>(
    // older amounts are one sum, whose day is null
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
