import type { NextCharge } from '@souk/contract/billing/billing.ts';
import type { PaymentMethod } from '@souk/contract/billing/payments.ts';
import { formatDay } from '#ui/text/amount.ts';
import { chargeText } from '#web/texts/charge-text.ts';
import { paymentMethodText } from '../payment-method-text.ts';

/**
 * Says what is charged for a resumed plan or rental, and when.
 * @param charge null: not fetched from the payment provider yet
 * @param endsAt the end of the paid period
 */
export function resumedChargeText(
  { charge, endsAt }: { charge: NextCharge | null; endsAt: string | null },
  method: PaymentMethod | undefined,
): string {
  const until = 'and then each month until you cancel. Nothing is charged now.';
  if (charge === null) return `It renews${endsAt === null ? '' : ` on ${formatDay(endsAt)}`}, ${until}`;
  const to = method ? ` to ${paymentMethodText(method)}` : '';
  return `${chargeText(charge)} is charged on ${formatDay(charge.at)}${to}, ${until}`;
}
