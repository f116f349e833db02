import { formatCount } from '#ui/text/amount.ts';

/** "1 server", "1,200 servers". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  count === 1 ? `1 ${one}` : `${formatCount(count)} ${many}`;
