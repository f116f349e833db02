import { totalsText, type Totals } from '@souk/contract/billing/totals.ts';

/** An amount's tax and discount, below its name. Empty if it has neither. */
export function TotalsLine({ totals, currency }: { totals?: Totals | undefined; currency: string }) {
  if (!totals) return null;
  return <span className="block text-xs/5 font-normal text-quiet tabular-nums">{totalsText(totals, currency)}</span>;
}
