import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useToast } from '#ui/overlay/use-toast.ts';
import { isChangeAwaited, takeChangedCard } from './changed-card.ts';
import { paymentMethodText } from './payment-method-text.ts';
import { paymentMethodsQuery } from './queries.ts';

/** Says which card is charged from now on, after the user has chosen another one. */
export function useChangedCard(userId: string | undefined): void {
  const toast = useToast();
  const enabled = userId !== undefined && isChangeAwaited();
  const { data } = useQuery({ ...paymentMethodsQuery(userId ?? ''), enabled });
  useEffect(() => {
    const changed = data && takeChangedCard(data.paymentMethods.map(({ method }) => method));
    if (changed) toast.success(`Your renewals are charged to ${paymentMethodText(changed)} from now on.`);
  });
}
