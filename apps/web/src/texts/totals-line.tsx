import { totalsText, type Totals } from '@souk/contract/billing/totals.ts';

/** How an amount comes about, in a row below what it is for. Nothing where it has neither tax nor discount. */
export function TotalsLine({ totals, currency }: { totals?: Totals | undefined; currency: string }) {
  if (!totals) return null;
  return <span className="block text-xs/5 font-normal text-quiet tabular-nums">{totalsText(totals, currency)}</span>;
}
