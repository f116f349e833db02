import type { ConnectedApp } from '@souk/contract/connected-apps.ts';
import { useQuery } from '@tanstack/react-query';
import AppWindow from 'lucide-react/icons/app-window';
import { useRef, useState } from 'react';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ConnectedAppsList } from './connected-apps-list.tsx';
import { DisconnectAppDialog } from './disconnect-app-dialog.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { connectedAppsQuery } from '../queries.ts';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { LoadError } from '#web/loading/load-error.tsx';
import { WebSessions } from './web-sessions.tsx';

/** The AI clients and browsers that act for the user, each with a button that ends its access. */
export function ConnectedAppsScreen({ userId }: { userId: string }) {
  const { data } = useQuery(connectedAppsQuery(userId));
  const [leaving, setLeaving] = useState<ConnectedApp>();
  const [said, setSaid] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <div className="flex flex-col gap-10">
      <TitledSection
        id="apps-heading"
        focusRef={heading}
        title="Connected apps"
        text="AI clients that you've allowed. Disconnecting an app revokes its access until you allow it again."
      >
        <Apps userId={userId} onDisconnect={setLeaving} />
      </TitledSection>
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
          // the focused button was removed with its row
          heading.current?.focus();
        }}
      />
    </div>
  );
}

function Apps({ userId, onDisconnect }: { userId: string; onDisconnect: (app: ConnectedApp) => void }) {
  const list = useQuery(connectedAppsQuery(userId));
  if (list.isPending) return <ListSkeleton label="Loading your connected apps…" />;
  if (list.isError) return <LoadError title="Failed to load connected apps" query={list} />;
  if (list.data.apps.length > 0) return <ConnectedAppsList apps={list.data.apps} onDisconnect={onDisconnect} />;
  return (
    <EmptyState
      icon={<AppWindow aria-hidden />}
      title="No connected apps"
      text="Paste your link into a client and sign in. The client then appears here."
      actions={
        <LinkButton to="/dashboard" search={{ tab: 'connections' }}>
          Show the link
        </LinkButton>
      }
    />
  );
}
