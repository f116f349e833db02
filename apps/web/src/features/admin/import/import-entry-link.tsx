import { useQuery } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import { formatCount } from '#ui/amount.ts';
import { Card } from '#ui/card.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { SectionHeading } from '#ui/section-heading.tsx';
import { TextLink } from '#ui/text-link.tsx';
import { updatesQuery } from './import-queries.ts';

/** The way from the list of manifests to the import, with the updates that wait there. */
export function ImportEntryLink({ userId }: { userId: string }) {
  const count = useQuery(updatesQuery(userId)).data?.updates.length ?? 0;
  return (
    <Card as="section" aria-labelledby="import-servers">
      <SectionHeading
        id="import-servers"
        title="Import Servers"
        fillsCard
        text={
          <>
            From a client's configuration, a server.json or a registry. You see what will be staged first.
            {count > 0 && (
              <>
                {' '}
                <TextLink to="/admin" search={{ tab: 'manifests', import: 'updates' }}>
                  {count === 1 ? '1 update waits' : `${formatCount(count)} updates wait`}
                </TextLink>
              </>
            )}
          </>
        }
        actions={
          <LinkButton
            to="/admin"
            search={{ tab: 'manifests', import: 'text' }}
            icon={<Download aria-hidden size={16} />}
          >
            Import
          </LinkButton>
        }
      />
    </Card>
  );
}
