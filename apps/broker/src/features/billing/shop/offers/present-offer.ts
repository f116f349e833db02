import { isDeepStrictEqual } from 'node:util';
import type { AdminOffer } from '@souk/contract/admin/offers.ts';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import { isCurrent, renewingOf, type PriceGroup, type Terms } from './offer-counts.ts';
import type { StoredOffer } from './offer-rows.ts';

export const termsOf = (fields: OfferFields): Terms => ({
  amount: fields.amount,
  currency: fields.currency,
  monthlyCredits: fields.kind === 'plan' ? fields.monthlyCredits : null,
});

export function presentOffer(
  offer: StoredOffer,
  shop: {
    groups: readonly PriceGroup[];
    emails: ReadonlyMap<string, string>;
    /** Whether the provider has the current price. */
    isKnown(offer: Pick<StoredOffer, 'offerId' | 'fields'>): boolean;
    isSelling: boolean;
  },
): AdminOffer {
  const { offerId, kind, fields, active, revision, editedAt, editedBy } = offer;
  const groups = kind === 'plan' ? shop.groups.filter(({ planId }) => planId === offerId) : [];
  const hasPrice = shop.isSelling && active && fields.amount > 0;
  return {
    offerId,
    fields,
    active,
    revision,
    edited: editedAt
      ? { at: editedAt.toISOString(), by: editedBy === undefined ? null : (shop.emails.get(editedBy) ?? null) }
      : null,
    file: fileOf(offer),
    provider: hasPrice ? (shop.isKnown(offer) ? 'known' : 'waiting') : 'none',
    subscribers: total(groups),
    ending: groups.reduce((sum, { ending }) => sum + ending, 0),
    olderPrice: total(renewingOf(groups).filter((group) => !isCurrent(group, termsOf(fields)))),
  };
}

function fileOf({ fields, fileVersion, active }: StoredOffer): AdminOffer['file'] {
  if (!fileVersion) return 'absent';
  const { popular } = fields;
  return active && isDeepStrictEqual({ ...fileVersion.fields, popular }, fields) ? 'same' : 'other';
}

const total = (groups: readonly PriceGroup[]) => groups.reduce((sum, { subscribers }) => sum + subscribers, 0);
