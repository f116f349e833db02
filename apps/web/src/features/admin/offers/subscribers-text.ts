import { counted } from '#ui/text/amount.ts';

export const subscribersText = (count: number): string => counted(count, 'subscriber');

export const endingText = (count: number): string => counted(count, 'does not renew', 'do not renew');
