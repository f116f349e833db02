import type { Transaction } from '@souk/contract/billing/billing-history.ts';
import { counted } from '#ui/text/amount.ts';

/** Returns whether the bank has not decided yet. */
export const isOpen = ({ state }: NonNullable<Transaction['dispute']>): boolean => state !== 'won' && state !== 'lost';

/** Says what a dispute means for the payer: who decides, what is clawed back in the meantime, and the outcome. */
export function disputeText({ type, dispute }: Pick<Transaction, 'type' | 'dispute'>): string | undefined {
  if (!dispute) return undefined;
  const { state, credits } = dispute;
  const many = counted(credits, 'credit');
  const bought = renewingPurchase(type);
  if (state === 'inquiry') return 'Your bank has asked about this payment. You keep what you paid for.';
  if (state === 'won') {
    return `Your bank decided that this payment stands.${credits > 0 ? ` Your ${many} ${credits === 1 ? 'is' : 'are'} back.` : ''}`;
  }
  if (state === 'lost') {
    const taken = credits > 0 ? ` ${many} of this payment ${credits === 1 ? 'was' : 'were'} taken back.` : '';
    return `Your bank gave you the disputed money back.${taken}${bought === undefined ? '' : ` The ${bought} was canceled.`}`;
  }
  const taken = credits > 0 ? ` Until then, ${many} ${credits === 1 ? 'is' : 'are'} taken out of your balance.` : '';
  return `You disputed this payment, and your bank will decide.${taken}${bought === undefined ? '' : ` Your ${bought} continues.`}`;
}

/** Names a purchase that renews; undefined for credits, which are bought once. */
function renewingPurchase(type: Transaction['type']): string | undefined {
  if (type === 'rental_create') return 'rental';
  return type === 'subscription_create' || type === 'subscription_update' ? 'plan' : undefined;
}
