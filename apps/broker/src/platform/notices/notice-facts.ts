import { z } from 'zod';
import type { NoticeKind } from '@souk/contract/notices.ts';

/** A name from outside, cut to fit a mail. */
const name = z.string().transform((text) => [...text].slice(0, 100).join(''));
const time = z.iso.datetime();
const amount = z.number().int();

/** The facts of each kind of mail. Its address and its words are looked up when it is sent. */
export const noticeFacts = {
  /** `what` is "Pro plan" or "rental of Travel". */
  payment_failed: z.object({ what: name, hasEnded: z.boolean() }),
  payment_refunded: z.object({ amount, currency: z.string() }),
  price_changes: z.object({
    plan: name,
    /** null: unknown. */
    from: z.object({ amount, currency: z.string() }).nullable(),
    to: z.object({ amount, currency: z.string() }),
    appliesAt: time,
  }),
  service_undeployed: z.object({ service: name, endsAt: time }),
  app_connected: z.object({ app: name, at: time }),
  account_deleted: z.object({ at: time, by: z.enum(['owner', 'administrator']) }),
  access_ends: z.object({ what: name, endsAt: time, isTrial: z.boolean() }),
  credits_low: z.object({ left: z.number().int(), granted: z.number().int() }),
  token_expires: z.object({ token: name, expiresAt: time }),
} as const satisfies Record<NoticeKind, z.ZodType>;

export type FactsOf<Kind extends NoticeKind> = z.output<(typeof noticeFacts)[Kind]>;
