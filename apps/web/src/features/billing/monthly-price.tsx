import { formatMoney } from '#ui/text/amount.ts';
import { config } from '#web/config.ts';

export function MonthlyPrice({ amount, currency }: { amount: number; currency: string }) {
  return (
    <p>
      <span className="text-3xl/9 font-semibold tracking-tight tabular-nums">{formatMoney(amount, currency)}</span>
      <span className="text-quiet">/month{config.addsTax && ' plus tax'}</span>
    </p>
  );
}
