import type { UpstreamConnection } from '@souk/contract/connections.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { Notice } from '#ui/notice.tsx';
import { StatusBadge } from '#ui/status-badge.tsx';
import { TextLink } from '#ui/text-link.tsx';
import { describeState, failureText } from './connection-texts.ts';
import { connectionsApi, upstreamConnectionsQuery, upstreamKey } from './connections-api.ts';
import { signInAtServer } from './sign-in-window.ts';

/**
 * The servers that want the person's own sign-in, each with the way to it: in a window beside the page. Nothing where no
 * server wants one, or until that is known.
 */
export function OwnSignIns({ userId }: { userId: string }) {
  const list = useQuery(upstreamConnectionsQuery(userId));
  const [said, setSaid] = useState('');
  if (list.isError) {
    return (
      <ErrorState
        title="Failed to load your sign-ins at services"
        text={failureText(list.error)}
        onRetry={() => void list.refetch()}
        retrying={list.isFetching}
      />
    );
  }
  if (!list.data || list.data.connections.length === 0) return null;
  return (
    <Card as="section" padding="none" className="mt-4" aria-labelledby="own-sign-ins">
      <div className="px-4 pt-4 pb-3 sm:px-5">
        <h2 id="own-sign-ins" className="font-semibold">
          Services that want your own sign-in
        </h2>
        <p className="text-quiet">What you allow there is yours alone; nobody else’s calls can use it.</p>
      </div>
      <ul>
        {list.data.connections.map((connection) => (
          <OwnSignIn key={connection.serverId} userId={userId} connection={connection} onSaid={setSaid} />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {said}
      </p>
    </Card>
  );
}

function OwnSignIn({
  userId,
  connection,
  onSaid,
}: {
  userId: string;
  connection: UpstreamConnection;
  onSaid: (text: string) => void;
}) {
  const { serverId, serverName, auth, state } = connection;
  const queries = useQueryClient();
  const { tone, label } = describeState(connection);
  const signIn = useMutation({
    mutationFn: async () => {
      const { authUrl } = await connectionsApi.startUpstreamSignIn({ params: { userId, serverId } });
      return signInAtServer(authUrl);
    },
    onSuccess: (worked) => onSaid(worked ? `You are signed in to ${serverName}.` : ''),
    onSettled: () => queries.invalidateQueries({ queryKey: upstreamKey(userId) }),
  });
  return (
    <li className="flex flex-col gap-3 border-t border-line px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <TextLink to="/connect/$serverId" params={{ serverId }}>
          {serverName}
        </TextLink>
        <StatusBadge status={label} tone={tone} />
        {auth === 'oauth' && state !== 'signed-in' && (
          <span className="ml-auto">
            <Button size="small" loading={signIn.isPending} onClick={() => signIn.mutate()}>
              Sign in<span className="sr-only"> to {serverName}</span>
            </Button>
          </span>
        )}
      </div>
      {signIn.isError && <Notice tone="bad">{failureText(signIn.error)}</Notice>}
    </li>
  );
}
