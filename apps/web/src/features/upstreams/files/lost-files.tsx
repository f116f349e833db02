import { useQuery } from '@tanstack/react-query';
import { keptAt } from '#web/texts/kept-size.ts';
import { programFilesQuery } from '../upstreams-api.ts';

export function LostFiles({ userId }: { userId: string }) {
  const { data, isError } = useQuery(programFilesQuery(userId));
  if (isError) return <p className="text-quiet">Any files that services keep for you here are deleted too.</p>;
  if (!data || data.servers.length === 0) return null;
  return (
    <p dir="auto" className="text-quiet wrap-anywhere">
      The files that services keep for you here are deleted too: those of {keptAt(data)}.
    </p>
  );
}
