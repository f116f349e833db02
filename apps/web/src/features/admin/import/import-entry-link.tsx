import { useQuery } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import { formatCount } from '#ui/text/amount.ts';
import { LinkButton } from '#ui/link-button.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { updatesQuery } from './import-queries.ts';

/** The way from the list of manifests to the import. */
export function ImportEntryLink() {
  return (
    <LinkButton to="/admin" search={{ tab: 'manifests', import: 'text' }} icon={<Download aria-hidden size={16} />}>
      Import
    </LinkButton>
  );
}

/** The updates that wait there; nothing where none does. */
export function UpdatesLink({ userId }: { userId: string }) {
  const count = useQuery(updatesQuery(userId)).data?.updates.length ?? 0;
  if (count === 0) return null;
  return (
    <TextLink to="/admin" search={{ tab: 'manifests', import: 'updates' }}>
      {count === 1 ? '1 update waits' : `${formatCount(count)} updates wait`}
    </TextLink>
  );
}
