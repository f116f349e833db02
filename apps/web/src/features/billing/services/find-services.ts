import type { McpService } from '@souk/contract/billing/billing.ts';
import type { ServiceKind } from '#web/navigation/services-search.ts';

const ownTypes: readonly string[] = ['rental', 'purchase', 'trial'];

const kinds: Readonly<Record<ServiceKind, (service: McpService) => boolean>> = {
  // including those that are also rented or bought
  plan: ({ userAccess }) => userAccess.plan !== null,
  own: ({ userAccess }) => ownTypes.includes(userAccess.accessType),
  free: ({ userAccess }) => userAccess.accessType === 'free',
  on: ({ enabled }) => enabled,
  none: ({ userAccess }) => !userAccess.hasAccess,
};

/** Returns the services of one kind whose name or description has every word of the text. */
export function findServices(
  services: readonly McpService[],
  text: string,
  kind: ServiceKind | undefined,
): McpService[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return services.filter((service) => {
    const found = `${service.name} ${service.description}`.toLowerCase();
    return (kind === undefined || kinds[kind](service)) && words.every((word) => found.includes(word));
  });
}
