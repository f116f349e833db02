import { freePlanId } from '@souk/contract/billing/offer-fields.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';
import type { FormEvent, RefObject } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { Select } from '#ui/form/select.tsx';
import { TextArea } from '#ui/form/text-area.tsx';
import type { DraftErrors, OfferDraft } from './offer-draft.ts';

export type OfferFormProps = {
  draft: OfferDraft;
  errors: DraftErrors;
  form: RefObject<HTMLFormElement | null>;
  currency: string;
  /** Number of positions among the offers of its kind; 0 if it is archived. */
  places: number;
  isNew: boolean;
  onChange: (changed: Partial<OfferDraft>) => void;
  onSubmit: () => void;
  /** undefined if nothing was changed. */
  onReset: (() => void) | undefined;
};

const paidTiers = (['T1', 'T2', 'T3'] as const).map((value) => ({ value, label: `${value} ${tiers[value].name}` }));

/** The fields of a plan or a credit package. Submitting opens a review of the effects. */
export function OfferForm(props: OfferFormProps) {
  const { draft, errors, form, currency, places, isNew, onChange, onSubmit, onReset } = props;
  const isPlan = draft.kind === 'plan';
  const isFree = isPlan && !isNew && draft.id === freePlanId;
  const text = (name: 'id' | 'name' | 'price' | 'monthlyCredits' | 'credits' | 'bonus') => ({
    value: draft[name],
    autoComplete: 'off',
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  });
  const count = (name: 'monthlyCredits' | 'credits' | 'bonus', label: string, hint?: string) => (
    <Field label={label} hint={hint} error={errors[name]}>
      <Input {...text(name)} inputMode="numeric" className="tabular-nums" />
    </Field>
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Card padding="large">
      <form
        ref={form}
        noValidate
        aria-label={isPlan ? 'Plan' : 'Credit package'}
        onSubmit={submit}
        className="flex flex-col gap-5"
      >
        {isNew && (
          <Field
            label="Id"
            hint="Lowercase letters, digits and hyphens. It appears in addresses and exports, and can't be changed later."
            error={errors.id}
          >
            <Input {...text('id')} maxLength={63} className="font-mono" spellCheck={false} />
          </Field>
        )}
        <div className="grid gap-5 sm:grid-cols-2">
          <Field label="Name" error={errors.name}>
            <Input {...text('name')} maxLength={60} />
          </Field>
          {!isFree && (
            <Field
              label={`Price in ${currency}${isPlan ? ' a month' : ''}`}
              hint={`All prices of the shop are in ${currency}.`}
              error={errors.price}
            >
              <Input {...text('price')} inputMode="decimal" className="tabular-nums" />
            </Field>
          )}
          {isPlan && !isFree && (
            <>
              {count('monthlyCredits', 'Monthly credits', 'They expire with the month.')}
              <Field label="Tier" hint="Services up to this tier are included." error={errors.tier}>
                <Select<Tier> options={paidTiers} value={draft.tier} onChange={(tier) => onChange({ tier })} />
              </Field>
            </>
          )}
          {!isPlan && (
            <>
              {count('credits', 'Credits')}
              {count('bonus', 'Bonus credits', 'Added to the credits above.')}
            </>
          )}
          {places > 0 && (
            <Field label="Place on the Plans page" error={errors.place}>
              <Select
                options={Array.from({ length: places }, (_, index) => ({
                  value: String(index + 1),
                  label: `${index + 1} of ${places}`,
                }))}
                value={draft.place}
                onChange={(place) => onChange({ place })}
              />
            </Field>
          )}
        </div>
        {isPlan && <PlanTexts {...props} />}
        {places > 0 && (
          <Checkbox
            label="Most Popular"
            hint={`At most one ${isPlan ? 'plan' : 'package'} can have this badge.`}
            checked={draft.popular}
            onChange={(popular) => onChange({ popular })}
          />
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary">
            {isNew ? 'Review and add' : 'Review changes'}
          </Button>
          {onReset && <Button onClick={onReset}>Discard changes</Button>}
        </div>
      </form>
    </Card>
  );
}

function PlanTexts({ draft, errors, onChange }: Pick<OfferFormProps, 'draft' | 'errors' | 'onChange'>) {
  return (
    <>
      <Field label="Description" error={errors.description}>
        <TextArea
          rows={2}
          maxLength={300}
          value={draft.description}
          onChange={(event) => onChange({ description: event.target.value })}
        />
      </Field>
      <Field label="Features (optional)" hint="One per line, up to 20." error={errors.features}>
        <TextArea rows={5} value={draft.features} onChange={(event) => onChange({ features: event.target.value })} />
      </Field>
    </>
  );
}
