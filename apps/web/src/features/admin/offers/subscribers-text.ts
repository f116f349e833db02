import { counted } from '../counted.ts';

export const subscribersText = (count: number): string => counted(count, 'subscriber');

export const endingText = (count: number): string => counted(count, 'does not renew', 'do not renew');
