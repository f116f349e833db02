import { useQuery } from '@tanstack/react-query';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Notice } from '#ui/state/notice.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { adminApi, toolChangesKey } from '../admin-api.ts';

const serversNamed = 5;

/** Number of tools under review, with links to their servers. */
export function UnderReview({ count, userId }: { count: number; userId: string }) {
  const { data } = useQuery({
    queryKey: toolChangesKey(userId),
    queryFn: () => adminApi.listToolChanges({ query: { status: 'pending' } }),
    enabled: count > 0,
  });
  if (count === 0) return null;
  const ids = [...new Set(data?.changes.map(({ serverId }) => serverId))];
  return (
    <Notice>
      {counted(count, 'tool is', 'tools are')} under review, and hidden from everyone until you decide.
      {ids.length > 0 && (
        <span className="mt-1 flex flex-wrap gap-x-3">
          {ids.slice(0, serversNamed).map((id) => (
            <TextLink key={id} to="/admin" search={{ tab: 'manifests', id, part: 'tools' }}>
              Review {id}
            </TextLink>
          ))}
          {ids.length > serversNamed && <span>and {formatCount(ids.length - serversNamed)} more</span>}
        </span>
      )}
    </Notice>
  );
}
