import type { Tier } from '@souk/contract/tiers.ts';
import { useQuery } from '@tanstack/react-query';
import { myServicesQuery } from '../queries.ts';
import { servicesLost } from './services-lost.ts';

/** The names of services that a person loses with their plan, read when it is asked for. Empty until then. */
export function useServicesLost(userId: string, { kept, enabled }: { kept?: Tier | undefined; enabled: boolean }) {
  const { data } = useQuery({ ...myServicesQuery(userId), enabled });
  return data ? servicesLost(data.services, kept) : [];
}
