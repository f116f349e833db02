import type { Down } from '@souk/contract/billing/billing.ts';
import { formatMoment } from '#ui/text/amount.ts';

/** 'Disconnected since Nov 21, 2026, 10:30 AM', in the word of the status badge. */
export const downSinceText = ({ status, since }: Pick<Down, 'status' | 'since'>): string =>
  `${status === 'error' ? 'Error' : 'Disconnected'} since ${formatMoment(since)}`;

/** Says since when and why calls to a service fail, in the same sentence everywhere. */
export const downText = ({ reason, ...down }: Down): string => `${downSinceText(down)}: ${reason}`;
