import type { AdminOffer } from '@souk/contract/admin/offers.ts';
import { useState } from 'react';
import { draftOf, isSameDraft, mergeDrafts, type DraftErrors, type OfferDraft } from './offer-draft.ts';

/** State of an offer's form, based on one revision of the offer. */
export function useOfferDraft(offer: AdminOffer, offers: readonly AdminOffer[]) {
  const place = placeOf(offer, offers);
  const saved = draftOf(offer, place);
  const [base, setBase] = useState({ revision: offer.revision, draft: saved });
  const [draft, setDraft] = useState(saved);
  const [errors, setErrors] = useState<DraftErrors>({});
  const isDirty = !isSameDraft(draft, base.draft);
  const isStale = offer.revision !== base.revision;
  const adopt = (next: OfferDraft) => {
    setBase({ revision: offer.revision, draft: saved });
    setDraft(next);
    setErrors({});
  };
  // nothing was typed, so another administrator's change is shown as it is
  if (isStale && !isDirty) adopt(saved);
  return {
    saved,
    base,
    draft,
    errors,
    setErrors,
    isDirty,
    /** Another administrator saved since, and there are unsaved edits. */
    isInConflict: isStale && isDirty,
    adopt,
    change: (changed: Partial<OfferDraft>) => setDraft({ ...draft, ...changed }),
    onSaved(now: AdminOffer, isEdit: boolean): void {
      const next = draftOf(now, isEdit ? Number(draft.place) : place);
      setBase({ revision: now.revision, draft: next });
      // unsaved edits stay when the offer is archived or brought back
      setDraft(isEdit ? next : mergeDrafts(base.draft, draft, next));
    },
  };
}

function placeOf(offer: AdminOffer, offers: readonly AdminOffer[]): number {
  const sold = offers.filter(({ active, fields }) => active && fields.kind === offer.fields.kind);
  return Math.max(1, sold.findIndex(({ offerId }) => offerId === offer.offerId) + 1);
}
