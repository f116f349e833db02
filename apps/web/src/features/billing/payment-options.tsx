import { config } from '#web/config.ts';

const texts = [
  ...(config.addsTax ? ['Tax is added at payment where it applies.'] : []),
  ...(config.takesCodes ? ['You can enter a promotion code at payment.'] : []),
];

/** Says, before a payment, what can change the amount: tax and promotion codes. */
export function PaymentOptions() {
  return texts.length === 0 ? null : <p className="mt-2">{texts.join(' ')}</p>;
}
