import type { WebSession } from '@souk/contract/connected-apps.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import Monitor from 'lucide-react/icons/monitor';
import { useRef, useState } from 'react';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { CardList } from '#ui/card.tsx';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { api } from '#web/api.ts';
import { Ago, Day } from '#ui/text/moment.tsx';
import { failureLine } from '#web/texts/failure-text.ts';
import { connectedAppsKey } from '../queries.ts';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { useSignOut } from '../session/use-sign-out.ts';

export function WebSessions({ userId, sessions }: { userId: string; sessions: readonly WebSession[] }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const end = useEndSession(userId, () => heading.current?.focus());
  return (
    <TitledSection
      id="browsers-heading"
      focusRef={heading}
      title="Browsers"
      text="The browsers you're signed in with."
      actions={<SignOutEverywhere />}
    >
      <CardList aria-label="Browsers that are signed in">
        {sessions.map((browser) => (
          <li key={browser.id} className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
            <Monitor aria-hidden size={16} className="shrink-0 text-faint" />
            <span className="min-w-0 flex-1">
              <span className="block font-medium">{browser.browserName ?? 'Unknown browser'}</span>
              <span className="block text-quiet">
                Signed in <Day moment={browser.createdAt} />
                {browser.lastUsedAt !== null && (
                  <>
                    , last used <Ago moment={browser.lastUsedAt} />
                  </>
                )}
              </span>
            </span>
            {browser.current ? (
              <Badge tone="good">This browser</Badge>
            ) : (
              <Button
                size="small"
                loading={end.isPending && end.variables === browser.id}
                onClick={() => end.mutate(browser.id)}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </CardList>
    </TitledSection>
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
    onError: (error) => toast.error(failureLine('Failed to sign out', error)),
  });
}

function SignOutEverywhere() {
  // also notifies the tabs of this browser, and removes its cookies
  const signOutHere = useSignOut();
  const [asking, setAsking] = useState(false);
  const signOut = useMutation({
    mutationFn: () => api.signOutEverywhere(),
    onSuccess: signOutHere,
  });
  const failure = signOut.isError ? failureLine('Failed to sign out', signOut.error) : undefined;
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
        error={failure}
        onConfirm={() => !signOut.isPending && signOut.mutate()}
      >
        You'll be signed out in every browser, including this one. Connected apps and access tokens keep working.
      </ConfirmDialog>
    </>
  );
}
