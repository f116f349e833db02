import type { RentalPeriod } from '@souk/contract/admin/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoment } from '#ui/text/amount.ts';
import type { ComboboxItem } from '#ui/form/combobox.tsx';
import { Field } from '#ui/form/field.tsx';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { Select } from '#ui/form/select.tsx';
import { TextArea } from '#ui/form/text-area.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi } from '../../admin-api.ts';
import { linesOf } from '../../lines-of.ts';
import { FailureNotice } from '../failure-notice.tsx';
import { plansQuery } from '../user-queries.ts';
import { useUserChange, useUserText } from '../user-work.ts';
import { featuresFault } from './features-text.ts';
import { FormDialog, type UserDialogProps } from './form-dialog.tsx';
import { ReasonField } from './reason-field.tsx';
import { ServiceSelector } from './service-selector.tsx';

const types = [
  { value: 'subscription', label: 'Subscription' },
  { value: 'rental', label: 'Rental' },
  { value: 'purchase', label: 'Purchase' },
] as const;
type Type = (typeof types)[number]['value'];

const monthly = { value: 'monthly', label: 'Monthly' } as const;
/** Periods by type. A purchase has no end. */
const periods = {
  subscription: [monthly],
  rental: [{ value: 'daily', label: 'Daily' }, { value: 'weekly', label: 'Weekly' }, monthly],
  purchase: undefined,
} as const satisfies Record<Type, readonly { value: RentalPeriod; label: string }[] | undefined>;

const consequences: Readonly<Record<Type, string>> = {
  subscription: 'The user gets the plan for a month. Nothing is charged, and no monthly credits come with it.',
  rental: 'The user can use the service until the period ends. Nothing is charged.',
  purchase: 'The user can use the service for good. Nothing is charged.',
};

/** Adds a plan, a rental or a purchase (spec part 2, section 4; clarifications, Small questions). */
export function AddSubscriptionDialog({ user, open, onClose }: UserDialogProps) {
  const toast = useToast();
  const [type, setType] = useState<Type>('subscription');
  const [period, setPeriod] = useState<RentalPeriod>('monthly');
  const [plan, setPlan] = useState('');
  const [service, setService] = useState<ComboboxItem>();
  const [lines, setLines] = useUserText('add', { user, open }, 'features', '');
  const [reason, setReason] = useUserText('add', { user, open }, 'reason', '');
  const [errors, setErrors] = useState<{ features?: string | undefined }>({});
  const form = useFirstErrorFocus(errors);
  const mcpId = type === 'subscription' ? plan : (service?.id ?? '');
  const add = useUserChange('add', user, {
    change: (features: string[]) => {
      const given = { mcpId, reason, ...(features.length > 0 && { features }) };
      const ofType =
        type === 'subscription' ? { type, period: monthly.value } : type === 'rental' ? { type, period } : { type };
      return adminApi.addUserSubscription({ params: { id: user.id }, body: { ...ofType, ...given } });
    },
    onDone: ({ endsAt }) => {
      const until = endsAt === null ? 'for good' : `until ${formatMoment(endsAt)}`;
      toast.success(`${user.email} has ${service?.label ?? `the ${plan} plan`} ${until}.`);
      onClose();
    },
  });
  const chooseType = (next: Type) => {
    setType(next);
    setPeriod('monthly');
    // spec part 2, section 4
    if (next === 'subscription') setService(undefined);
  };
  const submit = () => {
    const features = type === 'subscription' ? [] : linesOf(lines);
    const fault = featuresFault(features);
    setErrors({ features: fault });
    if (fault === undefined && mcpId !== '') add.mutate(features);
  };
  const choices = periods[type];
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Add subscription"
      description={user.email}
      submitLabel="Add"
      busy={add.isPending}
      disabled={mcpId === ''}
      form={form}
      onSubmit={submit}
    >
      {add.isError && <FailureNotice work="add" error={add.error} />}
      <div className="grid grid-cols-2 gap-3">
        <Field label="Type">
          <Select options={types} value={type} onChange={chooseType} />
        </Field>
        {choices && (
          <Field label="Period">
            <Select options={choices} value={period} onChange={setPeriod} />
          </Field>
        )}
      </div>
      {type === 'subscription' ? (
        <PlanSelector value={plan} onChange={setPlan} />
      ) : (
        <>
          <ServiceSelector value={service} onChange={setService} />
          <Field
            label="Features (optional)"
            hint="One per line. Leave empty for those of the service."
            error={errors.features}
          >
            <TextArea rows={2} value={lines} onChange={(event) => setLines(event.target.value)} />
          </Field>
        </>
      )}
      <ReasonField value={reason} onChange={setReason} />
      <p className="text-[0.8125rem] text-quiet">{consequences[type]}</p>
    </FormDialog>
  );
}

/** Selects a plan. The free plan is left out, since every user has it. */
function PlanSelector({ value, onChange }: { value: string; onChange: (planId: string) => void }) {
  const { data, error, isPending } = useQuery(plansQuery);
  const plans = (data ?? []).filter(({ tier }) => tier !== 'T0');
  const first = isPending ? 'Loading plans…' : plans.length === 0 ? 'No plans' : 'Choose a plan';
  return (
    <Field label="Plan" required error={!data && error ? failureText(error) : undefined}>
      <Select
        options={[
          { value: '', label: first },
          ...plans.map(({ planId, name, tier }) => ({ value: planId, label: `${name} (${tier})` })),
        ]}
        value={value}
        onChange={onChange}
      />
    </Field>
  );
}
