import { z } from 'zod';
import { adminErrors, adminReason } from './users.ts';
import { endpoint } from '../endpoint.ts';
import { offerFieldsSchema, offerIdSchema, shownFieldsSchema } from '../billing/offer-fields.ts';

// Plans and credit packages, as administrators edit them.

const isoTime = z.iso.datetime();

const termsSchema = z.object({
  /** Minor units per month; null: not fetched from the payment provider yet. */
  amount: z.int().nullable(),
  currency: z.string().nullable(),
  monthlyCredits: z.int().nullable(),
});

export const adminOfferSchema = z.object({
  offerId: z.string(),
  fields: shownFieldsSchema,
  /** false: archived. */
  active: z.boolean(),
  /** Increases with each change; a change names the revision that it is based on. */
  revision: z.int(),
  /** Time since which offers.json no longer changes it; null: it still does. `by` null: a command, or a deleted account. */
  edited: z.object({ at: isoTime, by: z.string().nullable() }).nullable(),
  /** Compared with offers.json: not listed there, same or different. */
  file: z.enum(['absent', 'same', 'other']),
  /** State of the price at the payment provider. none: it needs no price there. */
  provider: z.enum(['none', 'known', 'waiting']),
  /**
   * Users who pay for this plan, counted by the plan of their next renewal; 0 for a package. A cancelled plan counts until
   * its paid period ends, as in the Overview; grants by administrators do not count.
   */
  subscribers: z.int(),
  /** Subscribers whose plan ends with the paid period. */
  ending: z.int(),
  /** Subscribers who renew at an older price. */
  olderPrice: z.int(),
});
export type AdminOffer = z.infer<typeof adminOfferSchema>;

export const listAdminOffers = endpoint({
  id: 'listAdminOffers',
  method: 'GET',
  path: '/admin/offers',
  summary: 'Lists all plans and credit packages, including archived ones, in display order',
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    offers: z.array(adminOfferSchema),
    /** Currency of all prices. */
    currency: z.string().nullable(),
    /** false: PAYMENTS=off. */
    isSelling: z.boolean(),
  }),
  errors: adminErrors,
});

const moveRunSchema = z.object({
  id: z.uuid(),
  startedAt: isoTime,
  /** null: under way. */
  endedAt: isoTime.nullable(),
  startedBy: z.string().nullable(),
  to: termsSchema,
  total: z.int(),
  moved: z.int(),
  /** Subscribers who had left, were about to leave or already had the price. */
  skipped: z.int(),
  failed: z.int(),
  /** Reasons with their number of subscribers, most frequent first. `why` completes a sentence. */
  reasons: z.array(z.object({ outcome: z.enum(['skipped', 'failed']), why: z.string(), subscribers: z.int() })),
  /** Remaining subscribers whose current month has to end first. */
  later: z.int(),
});
export type OfferMove = z.infer<typeof moveRunSchema>;

const ofOffer = z.object({ id: offerIdSchema });

/** Number of recent changes that a page shows. */
export const shownChanges = 50;

export const getAdminOffer = endpoint({
  id: 'getAdminOffer',
  method: 'GET',
  path: '/admin/offers/:id',
  summary: 'Returns a plan or package with its subscribers by price, its moves of subscribers and its history',
  access: 'admin',
  params: ofOffer,
  answer: z.object({
    success: z.literal(true),
    offer: adminOfferSchema,
    /** Fields in offers.json; null: not listed there. */
    fileFields: shownFieldsSchema.nullable(),
    /** Subscribers by price, largest group first. */
    prices: z.array(termsSchema.extend({ subscribers: z.int(), ending: z.int(), isCurrent: z.boolean() })),
    /** Newest first. */
    moves: z.array(moveRunSchema).max(5),
    history: z
      .array(
        z.object({
          at: isoTime,
          by: z.string().nullable(),
          action: z.string(),
          reason: z.string().nullable(),
          /** Sentences, for example "Price: $10 to $12". */
          changes: z.array(z.string()),
        }),
      )
      .max(shownChanges),
  }),
  errors: ['not_found', 'invalid_request', ...adminErrors],
});

const answerOfChange = z.object({
  success: z.literal(true),
  /** Effects on users, in sentences with numbers. */
  effects: z.array(z.string()),
  /** Offer after the change; for a preview, before it, and null if it does not exist yet. */
  offer: adminOfferSchema.nullable(),
});

const decision = {
  reason: adminReason,
  /** Returns the effects without changing anything. */
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
  /** Returns control to offers.json, starting with its current content. */
  z.strictObject({ type: z.literal('take-file') }),
]);
export type OfferChange = z.output<typeof offerChangeSchema>;

export const changeOffer = endpoint({
  id: 'changeOffer',
  method: 'POST',
  path: '/admin/offers/:id/changes',
  summary: 'Edits, archives or restores a plan or package, or returns its control to offers.json',
  access: 'admin',
  params: ofOffer,
  body: z.strictObject({ change: offerChangeSchema, revision: z.int(), ...decision }),
  answer: answerOfChange,
  errors: ['invalid_request', 'not_found', 'changed_since_shown', ...adminErrors],
});

/** Minimum notice of a higher price, in days before a renewal; a renewal sooner than that keeps the old price. */
export const noticeDays = 7;

export const movePreviewSchema = z.object({
  to: termsSchema,
  /** Subscribers who would be moved, by current price, largest group first. */
  groups: z.array(termsSchema.extend({ subscribers: z.int() })),
  movable: z.int(),
  /** Part of `movable` whose next renewal is sooner than the notice period: they pay the new price one renewal later. */
  later: z.int(),
  /** Times at which the first and the last of them pay the new price. */
  firstAt: isoTime.nullable(),
  lastAt: isoTime.nullable(),
  notMoved: z.object({ ending: z.int(), unpaid: z.int(), changing: z.int() }),
  /** Sentences with numbers. */
  effects: z.array(z.string()),
});
export type MovePreview = z.infer<typeof movePreviewSchema>;

export const previewMove = endpoint({
  id: 'previewMove',
  method: 'GET',
  path: '/admin/offers/:id/move',
  summary: "Shows what moving a plan's subscribers to its current price would do, and to whom",
  access: 'admin',
  params: ofOffer,
  answer: z.object({ success: z.literal(true), preview: movePreviewSchema }),
  errors: ['invalid_request', 'not_found', 'changed_since_shown', 'payments_off', ...adminErrors],
});

export const moveSubscribers = endpoint({
  id: 'moveSubscribers',
  method: 'POST',
  path: '/admin/offers/:id/move',
  summary: "Moves a plan's subscribers to its current price, each at a renewal that was announced in time",
  access: 'admin',
  params: ofOffer,
  body: z.strictObject({
    /** Values from the preview; if any has changed since, nothing is done. */
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
