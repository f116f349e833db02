import type { Tier } from '@souk/contract/tiers.ts';
import { useQuery } from '@tanstack/react-query';
import { myServicesQuery } from '../queries.ts';
import { servicesLost } from './services-lost.ts';

/** Returns the names of services that the user loses with their plan. Empty until they are loaded. */
export function useServicesLost(userId: string, { kept, enabled }: { kept?: Tier | undefined; enabled: boolean }) {
  const { data } = useQuery({ ...myServicesQuery(userId), enabled });
  return data ? servicesLost(data.services, kept) : [];
}
