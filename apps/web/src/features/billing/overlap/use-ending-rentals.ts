import type { Tier } from '@souk/contract/tiers.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { noSubscription, subscriptionQuery } from '../queries.ts';
import { includedRentals, type OwnRental } from './included-rentals.ts';

export type EndingRentals = {
  rentals: readonly OwnRental[];
  /** Servers whose rental ends: all that the plan includes, except those that the user keeps. */
  ending: string[];
  onChange: (ending: string[]) => void;
};

/** Returns the user's rentals that a plan of this tier includes, and the choice of those that end with its purchase. */
export function useEndingRentals(userId: string | undefined, tier: Tier | undefined): EndingRentals {
  const { data } = useQuery({ ...subscriptionQuery(userId ?? ''), enabled: userId !== undefined });
  const [kept, setKept] = useState<readonly string[]>([]);
  const { rentals: owned } = (data ?? noSubscription).subscription;
  const rentals = tier === undefined ? [] : includedRentals(owned, tier);
  const servers = rentals.map(({ mcpId }) => mcpId);
  return {
    rentals,
    ending: servers.filter((id) => !kept.includes(id)),
    onChange: (ending) => setKept(servers.filter((id) => !ending.includes(id))),
  };
}

export const choicesOf = ({ rentals, ending }: EndingRentals) => ({
  endRentals: ending,
  shownRentals: rentals.map(({ mcpId }) => mcpId),
});
