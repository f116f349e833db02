import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { adminApi, personKey } from '../admin-api.ts';
import type { AdminSearch } from '../admin-search.ts';
import { isNotFound } from '../refusals.ts';
import { auditApi } from '../audit/audit-queries.ts';

// Queries of a user's page. They are all invalidated with the list of users.

export type PersonPartProps = { adminId: string; personId: string };
export type PersonListProps = PersonPartProps & { search: AdminSearch; onChange: (change: AdminSearch) => void };

const pageSize = 50;

export const personQuery = (adminId: string, id: string) =>
  queryOptions({
    queryKey: [...personKey(adminId, id), 'profile'],
    queryFn: ({ signal }) => adminApi.getPerson({ params: { id } }, { signal }),
    retry: (failures, error) => failures < 1 && !isNotFound(error),
  });

export const ledgerQuery = (adminId: string, id: string, { after: cursor, show }: AdminSearch) =>
  queryOptions({
    queryKey: [...personKey(adminId, id), 'ledger', { cursor, show }],
    queryFn: ({ signal }) =>
      adminApi.listPersonLedger({ params: { id }, query: { limit: pageSize, cursor, show } }, { signal }),
    placeholderData: keepPreviousData,
  });

export const ledgerCallsQuery = (adminId: string, id: string, entryId: string) =>
  queryOptions({
    queryKey: [...personKey(adminId, id), 'ledger-calls', entryId],
    queryFn: ({ signal }) => adminApi.listLedgerCalls({ params: { id, entryId } }, { signal }),
    staleTime: Infinity,
  });

/** Refetch interval while a refund is pending. */
const pendingPollMs = 2_000;

export const paymentsQuery = (adminId: string, id: string, { after: cursor, payment }: AdminSearch) =>
  queryOptions({
    queryKey: [...personKey(adminId, id), 'payments', { cursor, payment }],
    queryFn: ({ signal }) =>
      adminApi.listPersonPayments({ params: { id }, query: { limit: pageSize, cursor, payment } }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.payments.some(({ refund }) => refund && refund.pendingCents > 0) ? pendingPollMs : false,
  });

export const refundPreviewQuery = (adminId: string, id: string, paymentId: string, amountCents: number) =>
  queryOptions({
    queryKey: [...personKey(adminId, id), 'refund', paymentId, amountCents],
    queryFn: ({ signal }) => adminApi.previewRefund({ params: { id, paymentId }, query: { amountCents } }, { signal }),
    placeholderData: keepPreviousData,
  });

const dayMs = 86_400_000;

/** Returns the start of a UTC day, `later` days after; undefined if the address has no valid day. */
function dayOf(text: string | undefined, later = 0): string | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(`${text}T00:00:00Z`) + later * dayMs;
  return ms >= 0 && ms < Date.UTC(9999, 0) ? new Date(ms).toISOString() : undefined;
}

export const callsQuery = (adminId: string, id: string, search: AdminSearch) => {
  const { after: cursor, service: serverId, outcome, from, to } = search;
  // the last day is included
  const query = { limit: pageSize, cursor, serverId, outcome, from: dayOf(from), to: dayOf(to, 1) };
  return queryOptions({
    queryKey: [...personKey(adminId, id), 'calls', query],
    queryFn: ({ signal }) => adminApi.listPersonCalls({ params: { id }, query }, { signal }),
    placeholderData: keepPreviousData,
  });
};

export const connectionsQuery = (adminId: string, id: string) =>
  queryOptions({
    queryKey: [...personKey(adminId, id), 'connections'],
    queryFn: ({ signal }) => adminApi.listPersonConnections({ params: { id } }, { signal }),
  });

export const signInsQuery = (adminId: string, id: string, { after: cursor }: AdminSearch) =>
  queryOptions({
    queryKey: [...personKey(adminId, id), 'sign-ins', { cursor }],
    queryFn: ({ signal }) =>
      adminApi.listPersonSignIns({ params: { id }, query: { limit: pageSize, cursor } }, { signal }),
    placeholderData: keepPreviousData,
  });

export const personAuditQuery = (adminId: string, id: string, { after: cursor }: AdminSearch) =>
  queryOptions({
    queryKey: [...personKey(adminId, id), 'audit', { cursor }],
    queryFn: async ({ signal }) => {
      const { entries, older } = await auditApi.listAudit(
        { query: { object: id, limit: pageSize, cursor } },
        { signal },
      );
      return { entries, nextCursor: older };
    },
    placeholderData: keepPreviousData,
  });
