import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, type FormEvent } from 'react';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { Field } from '#ui/form/field.tsx';
import { useFirstErrorFocus } from '#ui/form/focus-first-error.ts';
import { Input } from '#ui/form/input.tsx';
import { UtcDay } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import { LoadError } from '#web/loading/load-error.tsx';
import { billingApi } from '../billing-api.ts';
import { spendCapQuery } from '../queries.ts';

const maxCredits = 1_000_000_000;

export function SpendCap({ userId }: { userId: string }) {
  const cap = useQuery(spendCapQuery(userId));
  if (cap.isPending) return <Skeleton className="h-56 w-full rounded-lg" />;
  if (cap.isError) return <LoadError title="Failed to load your monthly limit" query={cap} />;
  const { monthlyCap, spentThisMonth, resetsAt } = cap.data;
  return (
    <Card padding="large" as="section" aria-labelledby="cap-heading">
      <h3 id="cap-heading" className="font-semibold">
        Monthly limit
      </h3>
      <p className="mt-1 text-quiet">
        {counted(spentThisMonth, 'credit')} spent this month
        {monthlyCap !== null && ` of ${formatCount(monthlyCap)}`}. Resets on <UtcDay moment={resetsAt} />.
      </p>
      {monthlyCap !== null && <Gauge spent={spentThisMonth} cap={monthlyCap} />}
      <CapForm key={monthlyCap} userId={userId} monthlyCap={monthlyCap} />
    </Card>
  );
}

function Gauge({ spent, cap }: { spent: number; cap: number }) {
  return (
    <progress
      aria-label="Used of the monthly limit"
      value={Math.min(spent, cap)}
      max={Math.max(cap, 1)}
      className="mt-3 block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-ink [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-ink"
    />
  );
}

function CapForm({ userId, monthlyCap }: { userId: string; monthlyCap: number | null }) {
  const queries = useQueryClient();
  const toast = useToast();
  const [text, setText] = useState(monthlyCap === null ? '' : String(monthlyCap));
  const [error, setError] = useState<string>();
  const errors = useMemo(() => ({ error }), [error]);
  const form = useFirstErrorFocus(errors);
  const save = useMutation({
    mutationFn: (cap: number | null) => billingApi.setSpendCap({ params: { userId }, body: { monthlyCap: cap } }),
    onSuccess: (answer) => {
      queries.setQueryData(spendCapQuery(userId).queryKey, answer);
      toast.success(answer.monthlyCap === null ? 'There is no monthly limit.' : 'The monthly limit is saved.');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    const cap = readCap(text);
    setError(cap === undefined ? 'Enter a whole number of credits, or nothing for no limit.' : undefined);
    if (cap !== undefined) save.mutate(cap);
  };
  return (
    <form ref={form} onSubmit={submit} noValidate className="mt-5 flex flex-col gap-3">
      <Field
        label="Maximum credits per month"
        hint="Calls that would exceed it are refused until the month ends. Leave it empty for no limit."
        error={error}
      >
        <Input
          inputMode="numeric"
          autoComplete="off"
          placeholder="No limit"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      {save.isError && <Notice tone="bad">{failureLine('Failed to save the limit', save.error)}</Notice>}
      <div>
        <Button type="submit" loading={save.isPending}>
          Save limit
        </Button>
      </div>
    </form>
  );
}

/** Returns a whole number of credits, null for no limit, or undefined for invalid text. */
function readCap(text: string): number | null | undefined {
  const digits = text.replaceAll(/[\s,]/g, '');
  if (digits === '') return null;
  const cap = Number(digits);
  return /^\d{1,10}$/.test(digits) && cap <= maxCredits ? cap : undefined;
}
