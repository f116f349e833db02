import { counted } from '../counted.ts';

/** "12 subscribers" */
export const subscribersText = (count: number): string => counted(count, 'subscriber');

/** "2 do not renew" */
export const endingText = (count: number): string => counted(count, 'does not renew', 'do not renew');
