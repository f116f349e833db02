import { getAdminNeeds } from '@souk/contract/admin/overview.ts';
import { createClient } from '@souk/contract/client.ts';
import { queryOptions } from '@tanstack/react-query';
import { adminClientOptions, adminKey } from '../admin-client-options.ts';

/** A separate client, since the dot in the header loads nothing else of the area. */
const client = createClient([getAdminNeeds] as const, adminClientOptions);

const freshForMs = 60_000;

/** Fetches what waits for an administrator. The tab, its badge and the dot in the header share this query. */
export const needsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...adminKey(userId), 'needs'],
    queryFn: () => client.getAdminNeeds(),
    staleTime: freshForMs / 2,
    refetchInterval: freshForMs,
  });
