import { z } from 'zod';

/** The result of `credits set`. */
export const creditsSetSchema = z.object({ credits: z.int(), change: z.int() });
export type CreditsSet = z.output<typeof creditsSetSchema>;
