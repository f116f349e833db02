import type { WebSession } from '@souk/contract/connected-apps.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import Monitor from 'lucide-react/icons/monitor';
import { useRef, useState } from 'react';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { preloadDialog } from '#ui/dialog.tsx';
import { useToast } from '#ui/use-toast.ts';
import { api } from '#web/api.ts';
import { Ago, Day } from './moment.tsx';
import { connectedAppsKey } from './queries.ts';
import { SectionHeading } from './section-heading.tsx';
import { useSession } from './session-provider.tsx';
import { describeFailure } from './token-texts.ts';

/** The browsers in which this person is signed in. */
export function WebSessions({ userId, sessions }: { userId: string; sessions: readonly WebSession[] }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const end = useEndSession(userId, () => heading.current?.focus());
  return (
    <section aria-labelledby="browsers-heading" className="flex flex-col gap-4">
      <SectionHeading
        id="browsers-heading"
        focusRef={heading}
        title="Browsers"
        text="Where you are signed in to this site."
        actions={<SignOutEverywhere />}
      />
      <Card padding="none">
        <ul aria-label="Browsers that are signed in" className="divide-y divide-line">
          {sessions.map((one) => (
            <li key={one.id} className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
              <Monitor aria-hidden size={16} className="shrink-0 text-faint" />
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{one.browserName ?? 'Unknown browser'}</span>
                <span className="block text-quiet">
                  Signed in <Day moment={one.createdAt} />
                  {one.lastUsedAt !== null && (
                    <>
                      , last used <Ago moment={one.lastUsedAt} />
                    </>
                  )}
                </span>
              </span>
              {one.current ? (
                <Badge tone="good">This browser</Badge>
              ) : (
                <Button
                  size="small"
                  loading={end.isPending && end.variables === one.id}
                  onClick={() => end.mutate(one.id)}
                >
                  Sign out
                </Button>
              )}
            </li>
          ))}
        </ul>
      </Card>
    </section>
  );
}

function useEndSession(userId: string, onEnded: () => void) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (id: string) => api.disconnectApp({ params: { userId, id } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: connectedAppsKey(userId) });
      onEnded();
      toast.success('That browser is signed out.');
    },
    onError: (error) => {
      const { title, reason } = describeFailure('Failed to sign out', error);
      toast.error(reason === undefined ? title : `${title}: ${reason}`);
    },
  });
}

function SignOutEverywhere() {
  const { session } = useSession();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const signOut = useMutation({
    mutationFn: () => api.signOutEverywhere(),
    onSuccess: async () => {
      // this browser too: its tabs are told, and its cookies go
      const done = session.signOut();
      await navigate({ to: '/' });
      await done;
    },
  });
  const failure = signOut.isError ? describeFailure('Failed to sign out', signOut.error) : undefined;
  return (
    <>
      <Button onPointerEnter={preloadDialog} onClick={() => setAsking(true)}>
        Sign out everywhere
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={(open) => {
          signOut.reset();
          setAsking(open);
        }}
        title="Sign out everywhere?"
        confirmLabel="Sign out everywhere"
        busy={signOut.isPending}
        error={failure && [failure.title, failure.reason].filter(Boolean).join(': ')}
        onConfirm={() => !signOut.isPending && signOut.mutate()}
      >
        Every browser is signed out, this one included. Connected apps and access tokens stay.
      </ConfirmDialog>
    </>
  );
}
