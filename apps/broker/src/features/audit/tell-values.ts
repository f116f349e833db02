import { moneyText, monthlyText } from '@souk/contract/billing/currencies.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { isRecord } from '#platform/json.ts';

const longestText = 300;
const mostItems = 20;

/** Names that were short for the one who wrote them. */
const names: Readonly<Record<string, string>> = {
  of: 'what',
  sandbox: 'demo payments',
  because: 'marked instead',
  groups: 'so far',
};

/** endsAt: ends at. */
export function wordsOf(name: string): string {
  return names[name] ?? name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll(/[-_]/g, ' ');
}

/** Names whose values are ids of other rows, or of the payment provider. */
const idNames = new Set(['id', 'move', 'subscription']);

/** Whether a value helps a search alone. */
export const isId = (name: string): boolean => idNames.has(name) || name.endsWith('Id');

export function textOf(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isGroup)) return value.map(sayGroup).join(', ');
    const some = value.slice(0, mostItems).map(textOf).join(', ');
    return value.length > mostItems ? `${some} and ${value.length - mostItems} more` : some;
  }
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

const currencyCode = /^[A-Za-z]{3}$/;

/** Minor units with their currency; undefined where they are none. */
export function moneyOf(amount: unknown, currency: unknown, text = moneyText): string | undefined {
  const isMoney = typeof amount === 'number' && typeof currency === 'string' && currencyCode.test(currency);
  return isMoney ? text(amount, currency) : undefined;
}

/** A field of an offer, as the shop shows it. @param currency of the offer then */
export function offerValue(field: string, value: unknown, currency: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (field === 'amount') return moneyOf(value, currency) ?? textOf(value);
  const tier = field === 'tier' && Object.entries(tiers).find(([name]) => name === value)?.[1];
  return tier ? tier.name : textOf(value);
}

/** Subscribers who pay one price, as a move of them wrote it down. */
type Group = { subscribers: number; amount: unknown; currency: unknown; monthlyCredits: unknown };
const isGroup = (value: unknown): value is Group => isRecord(value) && typeof value['subscribers'] === 'number';

function sayGroup({ subscribers, amount, currency, monthlyCredits }: Group): string {
  const price = moneyOf(amount, currency, monthlyText) ?? 'a price that was not read';
  const credits = typeof monthlyCredits === 'number' ? ` with ${monthlyCredits} credits` : '';
  return `${subscribers} at ${price}${credits}`;
}
