import { useQuery } from '@tanstack/react-query';
import Plug from 'lucide-react/icons/plug';
import { useState, type ReactNode } from 'react';
import { EmptyState } from '#ui/empty-state.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { AnchorButton } from '#ui/link-button.tsx';
import { connectionsQuery } from './connections-api.ts';
import { ConnectionAttempts } from './connection-attempts.tsx';
import { ListSkeleton } from './list-skeleton.tsx';
import { SectionHeading } from './section-heading.tsx';
import { SelfTest } from './self-test.tsx';
import { describeFailure } from './token-texts.ts';

/** How to connect a client, and what became of every client that tried. */
export function ConnectionsScreen({ userId, connectPanel }: { userId: string; connectPanel: ReactNode }) {
  return (
    <div className="flex flex-col gap-10">
      <div id="connect" className="scroll-mt-4">
        {connectPanel}
      </div>
      <section aria-labelledby="connections-heading" className="flex flex-col gap-4">
        <SectionHeading
          id="connections-heading"
          title="Clients that tried to connect"
          text="Each step that a client took, newest first, and what to do about one that failed. Kept for 30 days."
        />
        <AttemptList userId={userId} />
      </section>
      <SelfTest userId={userId} />
    </div>
  );
}

function AttemptList({ userId }: { userId: string }) {
  const list = useQuery(connectionsQuery(userId));
  // which attempt is open outlives the list's refetches, and a client that fails while one looks opens by itself
  const [toggled, setToggled] = useState<Readonly<Record<string, boolean>>>({});
  if (list.isPending) return <ListSkeleton label="Loading your connections…" />;
  if (list.isError) {
    const { title, reason } = describeFailure('Failed to load connections', list.error);
    return <ErrorState title={title} text={reason} onRetry={() => void list.refetch()} retrying={list.isFetching} />;
  }
  const { attempts } = list.data;
  if (attempts.length === 0) {
    return (
      <EmptyState
        icon={<Plug aria-hidden />}
        title="No client has tried yet"
        text="Give a client your link: as soon as it knocks, you see here how far it comes."
        actions={<AnchorButton href="#connect">Show the link</AnchorButton>}
      />
    );
  }
  return (
    <ConnectionAttempts
      attempts={attempts}
      isOpen={(attempt) => toggled[attempt.id] ?? (attempt === attempts[0] && attempt.status === 'failed')}
      onToggle={(attempt, open) => setToggled({ ...toggled, [attempt.id]: open })}
    />
  );
}
