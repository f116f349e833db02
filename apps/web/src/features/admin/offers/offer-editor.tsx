import type { AdminOffer, listAdminOffers } from '@souk/contract/admin/offers.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import { freePlanId } from '@souk/contract/billing/offer-fields.ts';
import { useState } from 'react';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../admin-api.ts';
import { AskBeforeLeaving } from '../ask-before-leaving.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import {
  draftOf,
  isSameDraft,
  mergeDrafts,
  readDraft,
  refusedInputs,
  type DraftErrors,
  type OfferDraft,
} from './offer-draft.ts';
import { OfferForm } from './offer-form.tsx';
import { OfferHead } from './offer-head.tsx';
import { useOfferRefresh, type ShownOffer } from './offer-queries.ts';
import { ReviewDialog, type AskedChange } from './review-dialog.tsx';

/**
 * The form of an offer, with what can be done with it as a whole. What is typed was made from one revision: where another
 * administrator has saved another one, both are shown.
 */
export function OfferEditor({
  userId,
  shown,
  all,
}: {
  userId: string;
  shown: ShownOffer;
  all: Answer<typeof listAdminOffers>;
}) {
  const { offer } = shown;
  const place = placeOf(offer, all.offers);
  const saved = draftOf(offer, place);
  const [base, setBase] = useState({ revision: offer.revision, draft: saved });
  const [draft, setDraft] = useState(saved);
  const [errors, setErrors] = useState<DraftErrors>({});
  const [asked, setAsked] = useState<AskedChange>();
  const [conflicts, setConflicts] = useState(0);
  const form = useFirstErrorFocus(errors);
  const refresh = useOfferRefresh(userId);
  const toast = useToast();
  const isDirty = !isSameDraft(draft, base.draft);
  const isMoved = offer.revision !== base.revision;
  const adopt = (next: OfferDraft) => {
    setBase({ revision: offer.revision, draft: saved });
    setDraft(next);
    setErrors({});
  };
  // nothing was typed: what another administrator saved is shown as it is
  if (isMoved && !isDirty) adopt(saved);
  const close = () => setAsked(undefined);
  const currency = all.currency ?? offer.fields.currency;
  const review = (wanted: OfferDraft) => {
    const read = readDraft(wanted, { currency, isArchived: !offer.active });
    if ('errors' in read) return setErrors(read.errors);
    setErrors({});
    setAsked({
      title: `Save ${read.fields.name}`,
      label: 'Save changes',
      change: { type: 'edit', fields: read.fields },
    });
  };
  return (
    <div className="flex flex-col gap-5">
      <OfferHead shown={shown} onAsk={setAsked} isFree={offer.offerId === freePlanId} />
      {isMoved && isDirty && (
        <ChangedMeanwhile
          conflicts={conflicts}
          by={offer.edited?.by ?? null}
          theirs={saved}
          base={base.draft}
          mine={draft}
          onKeepMine={() => {
            const merged = mergeDrafts(base.draft, draft, saved);
            adopt(merged);
            review(merged);
          }}
          onTakeTheirs={() => adopt(saved)}
        />
      )}
      <OfferForm
        draft={draft}
        errors={errors}
        form={form}
        currency={currency}
        places={offer.active ? all.offers.filter((one) => one.active && one.fields.kind === draft.kind).length : 0}
        isNew={false}
        onChange={(changed) => setDraft({ ...draft, ...changed })}
        onSubmit={() => (isMoved && isDirty ? setConflicts(conflicts + 1) : review(draft))}
        onReset={isDirty ? () => adopt(saved) : undefined}
      />
      <AskBeforeLeaving isUnsaved={isDirty} staysAt={(search) => search.offer === offer.offerId}>
        What you changed of {offer.fields.name} isn&apos;t saved, and is lost when you leave.
      </AskBeforeLeaving>
      <EachOpening asked={asked}>
        {({ change, ...texts }, open) => (
          <ReviewDialog
            userId={userId}
            open={open}
            onClose={close}
            review={{
              ...texts,
              send: (options) =>
                adminApi.changeOffer({
                  params: { id: offer.offerId },
                  body: { change, revision: base.revision, ...options },
                }),
            }}
            onDone={({ effects, offer: now }) => {
              close();
              // while the provider does not have the price, the page says more of it
              toast.success((now?.provider === 'waiting' ? undefined : effects[0]) ?? 'Saved.');
              if (now) {
                const isEdit = change.type === 'edit';
                const next = draftOf(now, isEdit ? Number(draft.place) : place);
                setBase({ revision: now.revision, draft: next });
                // what was typed waits while the offer is archived or brought back
                setDraft(isEdit ? next : mergeDrafts(base.draft, draft, next));
              }
              void refresh();
            }}
            onRefused={({ code, issues = [] }) => {
              const refused = change.type === 'edit' ? refusedInputs(issues, draft) : undefined;
              // anything else is told in the dialog
              if (refused || code === 'changed_since_shown') close();
              setErrors(refused ?? {});
              if (code !== 'changed_since_shown') return;
              setConflicts(conflicts + 1);
              void refresh();
            }}
          />
        )}
      </EachOpening>
    </div>
  );
}

function placeOf(offer: AdminOffer, offers: readonly AdminOffer[]): number {
  const sold = offers.filter(({ active, fields }) => active && fields.kind === offer.fields.kind);
  return Math.max(1, sold.findIndex(({ offerId }) => offerId === offer.offerId) + 1);
}
