import { useQuery } from '@tanstack/react-query';
import { counted } from '#ui/text/amount.ts';
import { TextLink } from '#ui/text/text-link.tsx';
import { updatesQuery } from './import-queries.ts';

/** Links to the available updates; renders nothing if there are none. */
export function UpdatesLink({ userId }: { userId: string }) {
  const count = useQuery(updatesQuery(userId)).data?.updates.length ?? 0;
  if (count === 0) return null;
  return (
    <TextLink to="/admin" search={{ tab: 'manifests', import: 'updates' }}>
      {counted(count, 'update available', 'updates available')}
    </TextLink>
  );
}
