import { z } from 'zod';
import { adminErrors, adminReason } from './users.ts';
import { endpoint } from '../endpoint.ts';
import { offerFieldsSchema, offerIdSchema, shownFieldsSchema } from '../billing/offer-fields.ts';

// Plans and credit packages, as administrators edit them.

const isoTime = z.iso.datetime();

const termsSchema = z.object({
  /** Minor units a month; null: the payment provider was not asked yet. */
  amount: z.int().nullable(),
  currency: z.string().nullable(),
  monthlyCredits: z.int().nullable(),
});

export const adminOfferSchema = z.object({
  offerId: z.string(),
  fields: shownFieldsSchema,
  /** false: archived. */
  active: z.boolean(),
  /** It grows with each change: a change names the one that it was made from. */
  revision: z.int(),
  /** Since when offers.json no longer changes it; null: offers.json still does. `by` null: a command, or a deleted account. */
  edited: z.object({ at: isoTime, by: z.string().nullable() }).nullable(),
  /** What offers.json says of it: nothing, the same, or something else. */
  file: z.enum(['absent', 'same', 'other']),
  /** Whether the payment provider has its price. none: it has no price there. */
  provider: z.enum(['none', 'known', 'waiting']),
  /**
   * People who pay for this plan, by the plan of their next renewal; of a package 0. A plan that was cancelled counts until
   * its paid period ends, as in the Overview. What administrators gave does not count.
   */
  subscribers: z.int(),
  /** Those of them whose plan ends with the period that is paid. */
  ending: z.int(),
  /** Those who renew at an older price. */
  olderPrice: z.int(),
});
export type AdminOffer = z.infer<typeof adminOfferSchema>;

export const listAdminOffers = endpoint({
  id: 'listAdminOffers',
  method: 'GET',
  path: '/admin/offers',
  summary: 'All plans and credit packages, archived ones included, in the order in which they are shown',
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    offers: z.array(adminOfferSchema),
    /** Of everything that is sold. */
    currency: z.string().nullable(),
    /** false: PAYMENTS=off. */
    isSelling: z.boolean(),
  }),
  errors: adminErrors,
});

const moveRunSchema = z.object({
  id: z.uuid(),
  startedAt: isoTime,
  /** null: it is under way. */
  endedAt: isoTime.nullable(),
  startedBy: z.string().nullable(),
  to: termsSchema,
  total: z.int(),
  moved: z.int(),
  /** They had left, were about to, or had the price already. */
  skipped: z.int(),
  failed: z.int(),
  /** Why, and how many: for each reason that occurred, the most frequent first. `why` completes a sentence. */
  reasons: z.array(z.object({ outcome: z.enum(['skipped', 'failed']), why: z.string(), subscribers: z.int() })),
  /** Of those that are left: they wait for the end of their month. */
  later: z.int(),
});
export type OfferMove = z.infer<typeof moveRunSchema>;

const ofOffer = z.object({ id: offerIdSchema });

/** The newest changes that a page shows. */
export const shownChanges = 50;

export const getAdminOffer = endpoint({
  id: 'getAdminOffer',
  method: 'GET',
  path: '/admin/offers/:id',
  summary: 'One plan or package, with who pays what for it, its moves of subscribers and its history',
  access: 'admin',
  params: ofOffer,
  answer: z.object({
    success: z.literal(true),
    offer: adminOfferSchema,
    /** What offers.json says; null: nothing. */
    fileFields: shownFieldsSchema.nullable(),
    /** Those who subscribe, by what they pay, the most first. */
    prices: z.array(termsSchema.extend({ subscribers: z.int(), ending: z.int(), isCurrent: z.boolean() })),
    /** The newest first. */
    moves: z.array(moveRunSchema).max(5),
    history: z
      .array(
        z.object({
          at: isoTime,
          by: z.string().nullable(),
          action: z.string(),
          reason: z.string().nullable(),
          /** Each a sentence, such as "Price: $10 to $12". */
          changes: z.array(z.string()),
        }),
      )
      .max(shownChanges),
  }),
  errors: ['not_found', 'invalid_request', ...adminErrors],
});

const answerOfChange = z.object({
  success: z.literal(true),
  /** What it does and to whom, each a sentence with numbers. */
  effects: z.array(z.string()),
  /** As it is now; of a preview as it was, and null for one that is not there yet. */
  offer: adminOfferSchema.nullable(),
});

const decision = {
  reason: adminReason,
  /** Nothing is changed: only the sentences are answered. */
  preview: z.boolean().default(false),
};

export const createOffer = endpoint({
  id: 'createOffer',
  method: 'POST',
  path: '/admin/offers',
  summary: 'Adds a plan or a credit package',
  access: 'admin',
  body: z.strictObject({ offerId: offerIdSchema, fields: offerFieldsSchema, ...decision }),
  answer: answerOfChange,
  errors: ['invalid_request', 'changed_since_shown', ...adminErrors],
});

export const offerChangeSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('edit'), fields: offerFieldsSchema }),
  z.strictObject({ type: z.literal('archive') }),
  z.strictObject({ type: z.literal('restore') }),
  /** offers.json changes it again, beginning with what it says now. */
  z.strictObject({ type: z.literal('take-file') }),
]);
export type OfferChange = z.output<typeof offerChangeSchema>;

export const changeOffer = endpoint({
  id: 'changeOffer',
  method: 'POST',
  path: '/admin/offers/:id/changes',
  summary: 'Edits, archives or brings back a plan or a package, or gives it back to offers.json',
  access: 'admin',
  params: ofOffer,
  body: z.strictObject({ change: offerChangeSchema, revision: z.int(), ...decision }),
  answer: answerOfChange,
  errors: ['invalid_request', 'not_found', 'changed_since_shown', ...adminErrors],
});

/** So many days before a renewal a person sees that it costs more; a nearer one still costs what it did. */
export const noticeDays = 7;

export const movePreviewSchema = z.object({
  to: termsSchema,
  /** Who would be moved, by what they pay now, the most first. */
  groups: z.array(termsSchema.extend({ subscribers: z.int() })),
  movable: z.int(),
  /** Of these: whose next renewal is nearer than the notice, so that they pay the new price at the one after. */
  later: z.int(),
  /** When the first and the last of them pay the new price. */
  firstAt: isoTime.nullable(),
  lastAt: isoTime.nullable(),
  notMoved: z.object({ ending: z.int(), unpaid: z.int(), changing: z.int() }),
  /** Each a sentence with numbers. */
  effects: z.array(z.string()),
});
export type MovePreview = z.infer<typeof movePreviewSchema>;

export const previewMove = endpoint({
  id: 'previewMove',
  method: 'GET',
  path: '/admin/offers/:id/move',
  summary: 'What moving the subscribers of a plan to its price of today would do, and to whom',
  access: 'admin',
  params: ofOffer,
  answer: z.object({ success: z.literal(true), preview: movePreviewSchema }),
  errors: ['invalid_request', 'not_found', 'changed_since_shown', 'payments_off', ...adminErrors],
});

export const moveSubscribers = endpoint({
  id: 'moveSubscribers',
  method: 'POST',
  path: '/admin/offers/:id/move',
  summary: 'Moves the subscribers of a plan to its price of today, each at a renewal that they were told of in time',
  access: 'admin',
  params: ofOffer,
  body: z.strictObject({
    /** As the preview had them: where they are others by now, nothing is done. */
    shown: z.strictObject({ movable: z.int().min(1), amount: z.int(), monthlyCredits: z.int() }),
    reason: adminReason,
  }),
  answer: z.object({ success: z.literal(true), move: moveRunSchema }),
  errors: [
    'invalid_request',
    'not_found',
    'changed_since_shown',
    'payments_off',
    'payments_unavailable',
    'sign_in_again',
    ...adminErrors,
  ],
});

export const adminOfferEndpoints = [
  listAdminOffers,
  getAdminOffer,
  createOffer,
  changeOffer,
  previewMove,
  moveSubscribers,
] as const;
