import { formatCount } from '#ui/amount.ts';

/** '1 tool', '1,204 tools'. */
export function counted(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** '{n} credits per call' or 'Free to use'; an unknown cost is no cost. */
export function callCost(creditCost: number | undefined): string {
  return creditCost === undefined || creditCost === 0 ? 'Free to use' : `${formatCount(creditCost)} credits per call`;
}
