import { formatCount } from '#ui/text/amount.ts';

/** "12 subscribers" */
export const peopleText = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'subscriber' : 'subscribers'}`;

/** "2 do not renew" */
export const endingText = (count: number): string => `${formatCount(count)} ${count === 1 ? 'does' : 'do'} not renew`;
