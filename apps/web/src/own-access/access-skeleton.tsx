import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { classNames } from '#ui/class-names.ts';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { isFree } from '../texts/access-text.ts';

/**
 * Reserves the space of the switch and the link. On a phone, where the tools are below, a service that is sold gets a
 * height between that of its offer and that of its switch.
 */
export function AccessSkeleton({ server }: { server: ServerAnswer }) {
  const piece = 'w-full rounded-lg';
  return (
    <div className="flex flex-col gap-4">
      <Skeleton className={classNames('h-24', piece, !isFree(server) && 'max-lg:hidden')} />
      <Skeleton className={classNames('h-64', piece)} />
      <Skeleton className={classNames('h-64 max-lg:hidden', piece)} />
    </div>
  );
}
