import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import { formatCount } from '#ui/amount.ts';

/** '1 tool', '1,204 tools'. */
export function counted(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** The tools of a server, '12 tools'; of one that shows them to those who sign in there, when they appear. */
export function toolCount({ capabilities, requires }: Pick<ServerAnswer, 'capabilities' | 'requires'>): string {
  if (capabilities.tools > 0 || requires === undefined) return counted(capabilities.tools, 'tool');
  return requires === 'sign_in' ? 'Tools after sign-in' : 'Tools with your key';
}

/** '{n} credits per call' or 'Free to use'; an unknown cost is no cost. */
export function callCost(creditCost: number | undefined): string {
  return creditCost === undefined || creditCost === 0 ? 'Free to use' : `${formatCount(creditCost)} credits per call`;
}
