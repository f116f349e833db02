import type { UpstreamConnection } from '@souk/contract/connections.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { Notice } from '#ui/notice.tsx';
import { StatusBadge } from '#ui/status-badge.tsx';
import { connectionFacts, describeState, failureText } from './connection-texts.ts';
import { connectionsApi, upstreamKey } from './connections-api.ts';
import { HeadersForm } from './headers-form.tsx';
import { signInAtServer } from './sign-in-window.ts';

export type UpstreamConnectionCardProps = {
  userId: string;
  connection: UpstreamConnection;
  /** False where the person may not use the server: what they have there can be ended, and no more. */
  entitled: boolean;
};

/** What a person has at a server: sign in, enter headers, sign in again, disconnect. */
export function UpstreamConnectionCard({ userId, connection, entitled }: UpstreamConnectionCardProps) {
  const { auth, state, serverName, error } = connection;
  const { tone, label } = describeState(connection);
  const heading = useRef<HTMLHeadingElement>(null);
  const [said, setSaid] = useState('');
  const facts = connectionFacts(connection);
  const hasSomething = state !== 'none' && connection.since !== null;
  return (
    <Card as="section" aria-labelledby="connection-heading" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="connection-heading" ref={heading} tabIndex={-1} className="font-semibold">
          Your connection
        </h2>
        <StatusBadge status={label} tone={tone} />
      </div>
      {entitled && error !== undefined && <Notice tone="bad">{error}</Notice>}
      {facts.length > 0 && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {facts.map(({ term, value }) => (
            <div key={term} className="contents">
              <dt className="text-quiet">{term}</dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {entitled && auth === 'oauth' && <SignInPart userId={userId} connection={connection} onSaid={setSaid} />}
      {entitled && auth === 'headers' && <HeadersForm userId={userId} connection={connection} onSaid={setSaid} />}
      {hasSomething && (
        <Disconnect
          userId={userId}
          connection={connection}
          onDone={() => {
            setSaid(`${serverName} is disconnected.`);
            // the button that had focus is gone
            heading.current?.focus();
          }}
        />
      )}
      <p role="status" className="sr-only">
        {said}
      </p>
    </Card>
  );
}

type ConnectionPart = Pick<UpstreamConnectionCardProps, 'userId' | 'connection'>;

function SignInPart({
  userId,
  connection: { serverId, serverName, state },
  onSaid,
}: ConnectionPart & { onSaid: (text: string) => void }) {
  const queries = useQueryClient();
  const signIn = useMutation({
    mutationFn: async () => {
      const { authUrl } = await connectionsApi.startUpstreamSignIn({ params: { userId, serverId } });
      return signInAtServer(authUrl);
    },
    onSuccess: (worked) => onSaid(worked ? `You are signed in to ${serverName}.` : ''),
    onSettled: () => queries.invalidateQueries({ queryKey: upstreamKey(userId) }),
  });
  const isSignedIn = state === 'signed-in';
  return (
    <>
      <p className="text-quiet">
        {isSignedIn
          ? `Calls to ${serverName} from your AI clients use this sign-in. Nobody else can use it.`
          : `${serverName} needs your own sign-in there. You will be asked there what you allow.`}
      </p>
      {signIn.isError && <Notice tone="bad">{failureText(signIn.error)}</Notice>}
      <div>
        <Button
          variant={isSignedIn ? 'secondary' : 'primary'}
          loading={signIn.isPending}
          onClick={() => signIn.mutate()}
        >
          {isSignedIn ? 'Sign in again' : `Sign in to ${serverName}`}
        </Button>
      </div>
    </>
  );
}

function Disconnect({
  userId,
  connection: { serverId, serverName, auth },
  onDone,
}: ConnectionPart & { onDone: () => void }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const disconnect = useMutation({
    mutationFn: () => connectionsApi.deleteUpstreamConnection({ params: { userId, serverId } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: upstreamKey(userId) });
      setAsking(false);
      onDone();
    },
  });
  return (
    <div className="border-t border-line pt-4">
      <Button variant="ghost" onClick={() => setAsking(true)}>
        Disconnect
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={(open) => {
          disconnect.reset();
          setAsking(open);
        }}
        title={`Disconnect ${serverName}?`}
        confirmLabel="Disconnect"
        busy={disconnect.isPending}
        error={disconnect.isError ? failureText(disconnect.error) : undefined}
        onConfirm={() => !disconnect.isPending && disconnect.mutate()}
      >
        {auth === 'oauth'
          ? `The sign-in is forgotten here and withdrawn at ${serverName}. Its tools ask for a new one.`
          : 'The headers that you entered are forgotten. Its tools do not work until you enter them again.'}
      </ConfirmDialog>
    </div>
  );
}
