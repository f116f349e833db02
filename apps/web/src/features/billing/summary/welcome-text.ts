import { counted } from '#ui/text/amount.ts';

/**
 * What the dashboard's header says of welcome credits. Beside a shortened balance ("1K") it has no figure, since the two would
 * not add up; Billing lists each part in full.
 */
export function welcomeText(welcome: number, available: number): string {
  if (available >= 1000) return 'Your credits include welcome credits.';
  return `You have ${counted(welcome, 'welcome credit')}.`;
}
