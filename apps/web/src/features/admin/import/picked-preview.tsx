import { useQuery } from '@tanstack/react-query';
import ArrowLeft from 'lucide-react/icons/arrow-left';
import { ErrorState } from '#ui/state/error-state.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import type { AdminSearch } from '../admin-search.ts';
import { pickedPreviewQuery } from './import-queries.ts';
import { Preview } from './preview.tsx';

/** The preview of one server of a registry. */
export function PickedPreview({
  userId,
  registryId,
  pick,
  back,
  backText,
}: {
  userId: string;
  registryId: string;
  /** Its name, a space and its version there. */
  pick: string;
  back: AdminSearch;
  backText: string;
}) {
  const at = pick.indexOf(' ');
  const server =
    at === -1 ? { name: pick, version: 'latest' } : { name: pick.slice(0, at), version: pick.slice(at + 1) };
  const { data, error, isFetching, refetch } = useQuery(pickedPreviewQuery(userId, registryId, server));
  return (
    <div className="flex flex-col gap-4">
      <TextLink to="/admin" search={back} tone="quiet" className="inline-flex min-h-7 items-center gap-1.5 self-start">
        <ArrowLeft aria-hidden size={16} />
        {backText}
      </TextLink>
      {error && !data && <ErrorState title={failureText(error)} onRetry={() => void refetch()} retrying={isFetching} />}
      {!error && !data && <ListSkeleton label="Loading the preview…" rows={1} />}
      {data && <Preview userId={userId} entries={data.entries} />}
    </div>
  );
}

export const pickOf = ({ name, version }: { name: string; version: string }) => `${name} ${version}`;
