import { useQuery } from '@tanstack/react-query';
import { needsQuery } from './needs-query.ts';

/** Marks an administrator's account button while something waits for them. */
export function NeedsDot({ userId }: { userId: string }) {
  const { data } = useQuery(needsQuery(userId));
  if (!data || data.waiting === 0) return null;
  return (
    <span className="absolute -top-0.5 -right-0.5 size-2.5 rounded-full border-2 border-ground bg-accent forced-colors:bg-[Highlight]">
      <span className="sr-only">Something needs you. </span>
    </span>
  );
}
