import { adminSystemEndpoints, type System } from '@souk/contract/admin/system.ts';
import { createClient } from '@souk/contract/client.ts';
import { queryOptions } from '@tanstack/react-query';
import { adminClientOptions, adminKey } from '../admin-api.ts';

export const systemApi = createClient(adminSystemEndpoints, adminClientOptions);

/** Refetch interval, close to the 12 s within which brokers appear or are considered dead. */
const refreshMs = 10_000;

export const systemQuery = (adminId: string) =>
  queryOptions({
    queryKey: [...adminKey(adminId), 'system'],
    queryFn: async (): Promise<System> => (await systemApi.getSystem()).system,
    refetchInterval: refreshMs,
  });
