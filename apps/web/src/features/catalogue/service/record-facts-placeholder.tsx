import { Skeleton } from '#ui/state/skeleton.tsx';
import { Fact } from './fact.tsx';

export function RecordFactsPlaceholder() {
  const value = <Skeleton className="h-5 w-24" />;
  return (
    <>
      <Fact name="Uptime, 30 days" note={<Skeleton className="h-12 w-full" />}>
        {value}
      </Fact>
      <Fact name="Last tested">{value}</Fact>
      <Fact name="Protocol">{value}</Fact>
    </>
  );
}
