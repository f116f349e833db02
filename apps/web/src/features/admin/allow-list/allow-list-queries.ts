import { queryOptions } from '@tanstack/react-query';
import { adminApi, adminKey } from '../admin-api.ts';

export const allowancesQuery = (userId: string) =>
  queryOptions({
    queryKey: [...adminKey(userId), 'allowances'],
    queryFn: () => adminApi.listAllowances(),
  });
