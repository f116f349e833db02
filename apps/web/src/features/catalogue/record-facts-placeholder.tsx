import { Skeleton } from '#ui/skeleton.tsx';
import { Fact } from './fact.tsx';

/** Holds the place of what was measured of a server. */
export function RecordFactsPlaceholder() {
  return ['Uptime, 30 days', 'Last tested', 'Protocol'].map((name) => (
    <Fact key={name} name={name}>
      <Skeleton className="h-5 w-24" />
    </Fact>
  ));
}
