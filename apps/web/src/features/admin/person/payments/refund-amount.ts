import { decimalsOf, decimalText } from '@souk/contract/billing/currencies.ts';
import { formatMoney } from '#ui/text/amount.ts';

/** Reads a typed amount as minor units, or returns its fault. A comma counts as a decimal point. */
export function readAmount(text: string, { currency, mostCents }: { currency: string; mostCents: number }) {
  const decimals = decimalsOf(currency);
  const [whole = '', part = '', ...more] = text.trim().replace(',', '.').split('.');
  const isNumber = /^\d{1,12}$/.test(whole) && /^\d{0,6}$/.test(part) && more.length === 0;
  if (!isNumber) return { fault: `Enter an amount such as ${decimalText(mostCents, currency)}.` };
  if (part.length > decimals) {
    return { fault: decimals === 0 ? `${currency} has no decimals.` : `${currency} has ${decimals} decimals.` };
  }
  const amountCents = Number(`${whole}${part.padEnd(decimals, '0')}`);
  if (amountCents === 0) return { fault: 'Enter an amount above 0.' };
  if (amountCents > mostCents) return { fault: `At most ${formatMoney(mostCents, currency)} can be refunded.` };
  return { amountCents };
}
