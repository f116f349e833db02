import type { getAdminOffer } from '@souk/contract/admin/offers.ts';
import { ApiError } from '@souk/contract/client.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { adminApi, adminOffersKey } from '../admin-api.ts';

export type ShownOffer = Answer<typeof getAdminOffer>;

/** Refetch interval while a price is sent to the payment provider, or subscribers are moved. */
const underWayMs = 1_500;

/** All plans and packages, archived ones included. */
export const adminOffersQuery = (userId: string) =>
  queryOptions({
    queryKey: [...adminOffersKey(userId), 'list'],
    queryFn: () => adminApi.listAdminOffers(),
    refetchInterval: ({ state: { data } }) =>
      data?.offers.some(({ provider }) => provider === 'waiting') === true && underWayMs,
  });

/** One offer with its subscribers, moves and history. */
export const adminOfferQuery = (userId: string, id: string) =>
  queryOptions({
    queryKey: [...adminOffersKey(userId), 'one', id],
    queryFn: ({ signal }) => adminApi.getAdminOffer({ params: { id } }, { signal }),
    refetchInterval: ({ state: { data } }) => {
      const isUnderWay = data?.offer.provider === 'waiting' || data?.moves.some(isWorking) === true;
      return isUnderWay && underWayMs;
    },
    retry: (failures, error) => !isUnknownOffer(error) && failures < 2,
  });

/** Whether a move makes progress; one that only waits for renewals doesn't. */
const isWorking = ({ endedAt, total, moved, skipped, failed, later }: ShownOffer['moves'][number]) =>
  endedAt === null && moved + skipped + failed + later < total;

export const isUnknownOffer = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'not_found' || error.code === 'invalid_request');

/** Returns a function that refetches every list of offers, including the shop's. */
export function useOfferRefresh(userId: string): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: adminOffersKey(userId) }),
      client.invalidateQueries({ queryKey: ['offers'] }),
      client.invalidateQueries({ queryKey: ['plans'] }),
    ]);
  };
}
