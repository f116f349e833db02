import { queryOptions } from '@tanstack/react-query';
import { api } from './api.ts';

/** Every deployed server with its capabilities. Read again each minute while a page shows it, since the status is live. */
export const capabilitiesQuery = queryOptions({
  queryKey: ['catalogue', 'capabilities'],
  queryFn: () => api.getCapabilities(),
  refetchInterval: 60_000,
});
