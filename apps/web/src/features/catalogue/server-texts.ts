/** '$9.00/month' (spec part 1, section 9: money is in cents, divided by 100 for display). */
export function monthlyPrice({ price, currency }: { price: number; currency: string }): string {
  return `${money(price, currency)}/month`;
}

function money(cents: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(cents / 100);
}

/** '1 tool', '1,204 tools'. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`;
}

/** '{n} credits per call' or 'Free to use'; an unknown cost is no cost. */
export function callCost(creditCost: number | undefined): string {
  return creditCost === undefined || creditCost === 0
    ? 'Free to use'
    : `${creditCost.toLocaleString('en-US')} credits per call`;
}

/** 'Nov 21, 2026, 3:19 AM', in the reader's time zone. */
export function dateAndTime(iso: string): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
}
