import type { listAdminOffers } from '@souk/contract/admin/offers.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import { freePlanId } from '@souk/contract/billing/offer-fields.ts';
import { useState } from 'react';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../admin-api.ts';
import { AskBeforeLeaving } from '../ask-before-leaving.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { mergeDrafts, readDraft, refusedInputs, type OfferDraft } from './offer-draft.ts';
import { OfferForm } from './offer-form.tsx';
import { OfferHead } from './offer-head.tsx';
import { useOfferRefresh, type ShownOffer } from './offer-queries.ts';
import { useOfferDraft } from './use-offer-draft.ts';
import { ReviewDialog, type AskedChange } from './review-dialog.tsx';

/** The page of an offer: its form, and the actions on it. After another administrator's change, both versions are shown. */
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
  const edited = useOfferDraft(offer, all.offers);
  const { saved, base, draft, errors, setErrors, isDirty, isInConflict, adopt } = edited;
  const [asked, setAsked] = useState<AskedChange>();
  const [conflicts, setConflicts] = useState(0);
  const form = useFirstErrorFocus(errors);
  const refresh = useOfferRefresh(userId);
  const toast = useToast();
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
      {isInConflict && (
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
        onChange={edited.change}
        onSubmit={() => (isInConflict ? setConflicts(conflicts + 1) : review(draft))}
        onReset={isDirty ? () => adopt(saved) : undefined}
      />
      <AskBeforeLeaving isUnsaved={isDirty} staysAt={(search) => search.offer === offer.offerId}>
        Your changes to {offer.fields.name} aren&apos;t saved, and are lost when you leave.
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
              // while the provider doesn't have the price yet, the page explains it
              toast.success((now?.provider === 'waiting' ? undefined : effects[0]) ?? 'Saved.');
              if (now) edited.onSaved(now, change.type === 'edit');
              void refresh();
            }}
            onRefused={({ code, issues = [] }) => {
              const refused = change.type === 'edit' ? refusedInputs(issues, draft) : undefined;
              // other refusals are shown in the dialog
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
