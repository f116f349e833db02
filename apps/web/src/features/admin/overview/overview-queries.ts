import { getAdminFigures } from '@souk/contract/admin/overview.ts';
import { createClient } from '@souk/contract/client.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { queryOptions } from '@tanstack/react-query';
import { adminClientOptions, adminKey } from '../admin-client-options.ts';

export type Figures = AnswerOutput<typeof getAdminFigures>;

const client = createClient([getAdminFigures] as const, adminClientOptions);

export const figuresQuery = (userId: string) =>
  queryOptions({
    queryKey: [...adminKey(userId), 'figures'],
    queryFn: () => client.getAdminFigures(),
    refetchInterval: 120_000,
  });
