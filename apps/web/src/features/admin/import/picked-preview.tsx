import { useQuery } from '@tanstack/react-query';
import type { AdminSearch } from '../admin-search.ts';
import { BackLink } from '../back-link.tsx';
import { NotLoaded } from '../not-loaded.tsx';
import { pickedPreviewQuery } from './import-queries.ts';
import { Preview } from './preview.tsx';

export function PickedPreview({
  userId,
  registryId,
  pick,
  back,
  backText,
}: {
  userId: string;
  registryId: string;
  /** Name in the registry, a space, and the version. */
  pick: string;
  back: AdminSearch;
  backText: string;
}) {
  const at = pick.indexOf(' ');
  const server =
    at === -1 ? { name: pick, version: 'latest' } : { name: pick.slice(0, at), version: pick.slice(at + 1) };
  const query = useQuery(pickedPreviewQuery(userId, registryId, server));
  return (
    <div>
      <BackLink search={back}>{backText}</BackLink>
      {query.data ? (
        <Preview userId={userId} entries={query.data.entries} />
      ) : (
        <NotLoaded query={query} label="Loading the preview…" rows={1} />
      )}
    </div>
  );
}

export const pickOf = ({ name, version }: { name: string; version: string }) => `${name} ${version}`;
