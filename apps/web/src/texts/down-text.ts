import type { Down } from '@souk/contract/billing/billing.ts';
import { formatMoment } from '#ui/text/amount.ts';

/** 'Disconnected since Nov 21, 2026, 10:30 AM': in the word of the status badge. */
export const downSinceText = ({ status, since }: Pick<Down, 'status' | 'since'>): string =>
  `${status === 'error' ? 'Error' : 'Disconnected'} since ${formatMoment(since)}`;

/** How a service is that calls fail at, since when and why: the same sentence on each card and in each dialog. */
export const downText = ({ reason, ...down }: Down): string => `${downSinceText(down)}: ${reason}`;
