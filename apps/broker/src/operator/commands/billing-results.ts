import { addUserSubscription, getUserBilling, removeUserSubscription } from '@souk/contract/admin-billing.ts';
import { z } from 'zod';

/** The results of `souk user show`, `give` and `remove` and of `souk credits …`, as --json prints them. */
export const creditsSetSchema = z.object({ credits: z.int(), change: z.int() });
export type CreditsSet = z.output<typeof creditsSetSchema>;

export const creditsShownSchema = getUserBilling.answer.shape.billing.shape.credits;
export type CreditsShown = z.output<typeof creditsShownSchema>;

export const userShownSchema = getUserBilling.answer.omit({ success: true });
export type UserShown = z.output<typeof userShownSchema>;

export const givenSchema = addUserSubscription.answer.omit({ success: true });
export type Given = z.output<typeof givenSchema>;

export const removedSchema = removeUserSubscription.answer.omit({ success: true });
export type Removed = z.output<typeof removedSchema>;
