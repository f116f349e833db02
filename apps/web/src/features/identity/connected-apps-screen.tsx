import type { ConnectedApp } from '@souk/contract/connected-apps.ts';
import { useQuery } from '@tanstack/react-query';
import AppWindow from 'lucide-react/icons/app-window';
import { useRef, useState } from 'react';
import { EmptyState } from '#ui/empty-state.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ConnectedAppsList } from './connected-apps-list.tsx';
import { DisconnectAppDialog } from './disconnect-app-dialog.tsx';
import { ListSkeleton } from './list-skeleton.tsx';
import { connectedAppsQuery } from './queries.ts';
import { SectionHeading } from './section-heading.tsx';
import { describeFailure } from './token-texts.ts';
import { WebSessions } from './web-sessions.tsx';

/** What is signed in as this person: AI clients, and browsers. Each can be thrown out. */
export function ConnectedAppsScreen({ userId }: { userId: string }) {
  const { data } = useQuery(connectedAppsQuery(userId));
  const [leaving, setLeaving] = useState<ConnectedApp>();
  const [said, setSaid] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <div className="flex flex-col gap-10">
      <section aria-labelledby="apps-heading" className="flex flex-col gap-4">
        <SectionHeading
          id="apps-heading"
          focusRef={heading}
          title="Connected apps"
          text="Clients that you signed in to and allowed. One that you disconnect is refused from then on, until you allow it again."
        />
        <Apps userId={userId} onDisconnect={setLeaving} />
      </section>
      {data && <WebSessions userId={userId} sessions={data.webSessions} />}
      <p role="status" className="sr-only">
        {said}
      </p>
      <DisconnectAppDialog
        userId={userId}
        app={leaving}
        onClose={() => setLeaving(undefined)}
        onDisconnected={(app) => {
          setSaid(`${app.clientName} is disconnected.`);
          // the button that had focus went with its row
          heading.current?.focus();
        }}
      />
    </div>
  );
}

function Apps({ userId, onDisconnect }: { userId: string; onDisconnect: (app: ConnectedApp) => void }) {
  const list = useQuery(connectedAppsQuery(userId));
  if (list.isPending) return <ListSkeleton label="Loading your connected apps…" />;
  if (list.isError) {
    const { title, reason } = describeFailure('Failed to load connected apps', list.error);
    return <ErrorState title={title} text={reason} onRetry={() => void list.refetch()} retrying={list.isFetching} />;
  }
  if (list.data.apps.length > 0) return <ConnectedAppsList apps={list.data.apps} onDisconnect={onDisconnect} />;
  return (
    <EmptyState
      icon={<AppWindow aria-hidden />}
      title="No connected apps"
      text="Paste your link into a client and sign in there: it appears here."
      actions={
        <LinkButton to="/dashboard" search={{ tab: 'connections' }}>
          Show the link
        </LinkButton>
      }
    />
  );
}
