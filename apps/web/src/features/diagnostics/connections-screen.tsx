import { useQuery } from '@tanstack/react-query';
import Plug from 'lucide-react/icons/plug';
import { useState, type ReactNode } from 'react';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { AnchorButton } from '#ui/link-button.tsx';
import { attemptsQuery } from './diagnostics-api.ts';
import { ConnectionAttempts } from './connection-attempts.tsx';
import { DocumentFaults } from './document-faults.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { LoadError } from '#web/loading/load-error.tsx';
import { SelfTest } from './self-test.tsx';

export function ConnectionsScreen({ userId, connectPanel }: { userId: string; connectPanel: ReactNode }) {
  return (
    <div className="flex flex-col gap-10">
      {/* focusable, so that "Show the link" moves the focus here too */}
      <div id="connect" tabIndex={-1} role="group" aria-label="Connect a client" className="scroll-mt-4 outline-none">
        {connectPanel}
      </div>
      <TitledSection
        id="attempts-heading"
        title="Connection attempts"
        text="Every step your clients took to connect, and how to fix the ones that failed. Newest first, kept for 30 days."
      >
        <AttemptList userId={userId} />
      </TitledSection>
      <FaultList userId={userId} />
      <SelfTest userId={userId} />
    </div>
  );
}

/** Fetched with the attempts, whose list shows the error if that fails. */
function FaultList({ userId }: { userId: string }) {
  const { data } = useQuery(attemptsQuery(userId));
  return data ? <DocumentFaults faults={data.documentFaults} /> : null;
}

function AttemptList({ userId }: { userId: string }) {
  const list = useQuery(attemptsQuery(userId));
  // by id, so that refetches keep it; the newest attempt is open if it failed, until the user closes it
  const [toggled, setToggled] = useState<Readonly<Record<string, boolean>>>({});
  if (list.isPending) return <ListSkeleton label="Loading your connection attempts…" />;
  if (list.isError) return <LoadError title="Failed to load connection attempts" query={list} />;
  const { attempts } = list.data;
  if (attempts.length === 0) {
    return (
      <EmptyState
        icon={<Plug aria-hidden />}
        title="No connection attempts yet"
        text="Give a client your link: every attempt appears here, step by step."
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
