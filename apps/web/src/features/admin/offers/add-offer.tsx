import type { AdminOffer } from '@souk/contract/admin/offers.ts';
import { useState } from 'react';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { offerIdSchema, type OfferFields } from '@souk/contract/billing/offer-fields.ts';
import { issueText } from '@souk/contract/manifest/issue-text.ts';
import { adminApi } from '../admin-api.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { AskBeforeLeaving } from '../ask-before-leaving.tsx';
import { BackLink } from '../back-link.tsx';
import { emptyDraft, errorsOf, isSameDraft, readDraft, refusedInputs, type DraftErrors } from './offer-draft.ts';
import { OfferForm } from './offer-form.tsx';
import { useOfferRefresh } from './offer-queries.ts';
import { ReviewDialog } from './review-dialog.tsx';

export function AddOffer({
  userId,
  onSearchChange,
  kind,
  offers,
  currency,
}: AdminPartProps & { kind: 'plan' | 'package'; offers: readonly AdminOffer[]; currency: string }) {
  const places = offers.filter(({ active, fields }) => active && fields.kind === kind).length + 1;
  const [start] = useState(() => emptyDraft(kind, places));
  const [draft, setDraft] = useState(start);
  const [errors, setErrors] = useState<DraftErrors>({});
  const [asked, setAsked] = useState<OfferFields>();
  const form = useFirstErrorFocus(errors);
  const refresh = useOfferRefresh(userId);
  const toast = useToast();
  const close = () => setAsked(undefined);
  const submit = () => {
    const id = offerIdSchema.safeParse(draft.id);
    const read = readDraft(draft, { currency, isArchived: false });
    const idFault = id.success
      ? {}
      : errorsOf(id.error.issues.map((issue) => ({ path: 'id', message: issueText(issue) })));
    if ('errors' in read || !id.success) return setErrors({ ...('errors' in read ? read.errors : {}), ...idFault });
    setErrors({});
    setAsked(read.fields);
  };
  return (
    <>
      <BackLink search={{ tab: 'offers' }}>All offers</BackLink>
      <h2 className="mb-4 text-xl/7 font-semibold tracking-tight">
        {kind === 'plan' ? 'New plan' : 'New credit package'}
      </h2>
      <OfferForm
        draft={draft}
        errors={errors}
        form={form}
        currency={currency}
        places={places}
        isNew
        onChange={(changed) => setDraft({ ...draft, ...changed })}
        onSubmit={submit}
        onReset={undefined}
      />
      {/* going to the page of the added offer isn't leaving */}
      <AskBeforeLeaving
        isUnsaved={!isSameDraft(draft, start)}
        staysAt={({ add, offer }) => (offer === undefined ? add === kind : offer === draft.id)}
      >
        The new {kind === 'plan' ? 'plan' : 'package'} isn&apos;t saved, and is lost when you leave.
      </AskBeforeLeaving>
      <EachOpening asked={asked}>
        {(fields, open) => (
          <ReviewDialog
            userId={userId}
            open={open}
            onClose={close}
            review={{
              title: `Add ${fields.name}`,
              label: kind === 'plan' ? 'Add plan' : 'Add package',
              send: (options) => adminApi.createOffer({ body: { offerId: draft.id, fields, ...options } }),
            }}
            onDone={() => {
              close();
              toast.success(`${fields.name} is added.`);
              void refresh();
              onSearchChange({ tab: 'offers', offer: draft.id }, 'replace');
            }}
            onRefused={({ issues = [] }) => {
              const refused = refusedInputs(issues, draft);
              // other refusals are shown in the dialog
              if (refused) close();
              setErrors(refused ?? {});
            }}
          />
        )}
      </EachOpening>
    </>
  );
}
