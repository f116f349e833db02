import type { PersonPayment, previewRefund } from '@souk/contract/admin/person.ts';
import { decimalText } from '@souk/contract/billing/currencies.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { totalsText } from '@souk/contract/billing/totals.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { formatCount, formatMoney } from '#ui/text/amount.ts';
import { Field } from '#ui/form/field.tsx';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { Input } from '#ui/form/input.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { adminApi, personKey } from '../../admin-api.ts';
import { isStaleWrite } from '../../refusals.ts';
import { ActionFailure } from '../../users/actions/action-failure.tsx';
import { FormDialog, type UserDialogProps } from '../../users/actions/form-dialog.tsx';
import { creditsWord } from '../../users/user-words.ts';
import { useUserChange, useUserText, useUserWork } from '../../users/user-work.ts';
import { refundPreviewQuery } from '../person-queries.ts';
import { readAmount } from './refund-amount.ts';
import { ReasonField } from '../../users/actions/reason-field.tsx';

type Refundable = PersonPayment & { refund: NonNullable<PersonPayment['refund']> };

/** Refunds a payment in part or whole, after showing which credits it claws back. */
export function RefundDialog({ user, payment, open, onClose }: UserDialogProps & { payment: Refundable }) {
  const toast = useToast();
  const queries = useQueryClient();
  const { adminId } = useUserWork();
  const { currency, refund: back } = payment;
  const mostCents = back.leftCents;
  const paid = payment.totals ? totalsText(payment.totals, currency) : formatMoney(payment.amount, currency);
  const ofDialog = { user, open };
  const [typed, setTyped] = useUserText('refund', ofDialog, `amount.${payment.id}`, decimalText(mostCents, currency));
  const [reason, setReason] = useUserText('refund', ofDialog, `reason.${payment.id}`, '');
  const [errors, setErrors] = useState<{ amount?: string | undefined; reason?: string | undefined }>({});
  const form = useFirstErrorFocus(errors);
  const read = readAmount(typed, { currency, mostCents });
  const refund = useUserChange('refund', user, {
    change: (amountCents: number) =>
      adminApi.refundPayment({
        params: { id: user.id, paymentId: payment.id },
        body: { amountCents, reason: reason.trim(), refundedCents: back.refundedCents + back.pendingCents },
      }),
    onDone: ({ result, amountCents, error }) => {
      const amount = formatMoney(amountCents, currency);
      if (result === 'refunded') toast.success(`${amount} is refunded to ${user.email}.`);
      else if (result === 'pending')
        toast.success(`${amount} will be refunded. The payment provider did not answer; we'll retry automatically.`);
      else toast.error(`${amount} was not refunded. The payment provider refused: ${error ?? 'no reason given'}`);
      onClose();
    },
    // refetches the list behind, which shows another administrator's change
    onFailed: async (error) => {
      if (isStaleWrite(error)) await queries.invalidateQueries({ queryKey: personKey(adminId, user.id) });
    },
  });
  const send = () => {
    if (read.amountCents !== undefined) refund.mutate(read.amountCents);
  };
  const submit = () => {
    const missing = reason.trim() === '' ? 'Enter a reason for the audit log.' : undefined;
    setErrors({ amount: read.fault, reason: missing });
    if (missing === undefined) send();
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Refund payment"
      description={`${payment.description} · ${user.email}`}
      submitLabel={read.amountCents === undefined ? 'Refund' : `Refund ${formatMoney(read.amountCents, currency)}`}
      variant="danger"
      busy={refund.isPending}
      form={form}
      onSubmit={submit}
    >
      <Field
        label={`Amount (${currency})`}
        hint={
          mostCents === payment.amount
            ? `${paid} was paid.`
            : `${paid} was paid, ${formatMoney(mostCents, currency)} of it can still be refunded.`
        }
        error={errors.amount ?? (typed === '' ? undefined : read.fault)}
        required
      >
        <Input
          inputMode="decimal"
          autoComplete="off"
          className="tabular-nums"
          value={typed}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => {
            setTyped(event.target.value);
            setErrors({});
          }}
        />
      </Field>
      <ReasonField
        required
        error={errors.reason}
        value={reason}
        onChange={(next) => {
          setReason(next);
          setErrors((all) => ({ ...all, reason: undefined }));
        }}
      />
      {read.amountCents !== undefined && (
        <Consequence userId={user.id} paymentId={payment.id} amountCents={read.amountCents} />
      )}
      <ActionFailure work="refund" error={refund.error} again={send} />
    </FormDialog>
  );
}

/** The effects of the refund, calculated by the broker. */
function Consequence(of: { userId: string; paymentId: string; amountCents: number }) {
  const { adminId } = useUserWork();
  const amountCents = useDeferredValue(of.amountCents);
  const { data, error } = useQuery(refundPreviewQuery(adminId, of.userId, of.paymentId, amountCents));
  if (error) return <Notice tone="bad">{failureLine('Failed to preview the refund', error)}</Notice>;
  return (
    <Notice>
      <span className="block min-h-10">{data ? consequenceText(data) : 'Calculating the effects…'}</span>
    </Notice>
  );
}

function consequenceText({ amountCents, currency, credits, runs }: AnswerOutput<typeof previewRefund>): string {
  const { granted, taken, owed } = credits;
  const money = `${formatMoney(amountCents, currency)} is refunded to the payment method that was used.`;
  const took =
    granted === 0
      ? 'The payment granted no credits, so none are clawed back.'
      : `${formatCount(taken)} of the ${creditsWord(granted)} that it granted are clawed back.`;
  const debt =
    owed === 0
      ? ''
      : ` ${formatCount(owed)} of them are spent or in use: they are owed, and the next credits repay them.`;
  const goesOn = runs === null ? '' : ` The ${runs} continues: remove it under Access to end it.`;
  return `${money} ${took}${debt}${goesOn}`;
}
