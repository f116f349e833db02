import type { UpstreamAccount } from '@souk/contract/upstreams.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { connectionFacts, describeState, hostText, reviewText } from './upstream-texts.ts';
import { upstreamsApi, upstreamKey } from './upstreams-api.ts';
import { HeadersForm } from './headers-form.tsx';
import { OtherWindowHint } from './sign-in/other-window-hint.tsx';
import { SignInProblem } from './sign-in/sign-in-problem.tsx';
import { useServerSignIn } from './sign-in/use-server-sign-in.ts';

export type UpstreamAccountCardProps = {
  userId: string;
  connection: UpstreamAccount;
  /** False if the user may not use the server. They can still disconnect their account. */
  entitled: boolean;
};

export function UpstreamAccountCard({ userId, connection, entitled }: UpstreamAccountCardProps) {
  const { auth, state, serverName, error } = connection;
  const { tone, label } = describeState(connection);
  const heading = useRef<HTMLHeadingElement>(null);
  const [said, setSaid] = useState('');
  const saySignedIn = (text: string) => {
    setSaid(text);
    // the window that had the focus is closed
    if (text !== '') heading.current?.focus();
  };
  const facts = connectionFacts(connection);
  const underReview = reviewText(connection);
  const canDisconnect = state !== 'none' && connection.since !== null;
  return (
    <Card as="section" aria-labelledby="account-heading" className="flex flex-col gap-4 sm:p-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="account-heading" ref={heading} tabIndex={-1} className="font-semibold">
          Your {serverName} account
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
      {entitled && underReview !== undefined && <Notice tone="info">{underReview}</Notice>}
      {entitled && auth === 'oauth' && <SignInPart userId={userId} connection={connection} onSaid={saySignedIn} />}
      {entitled && auth === 'headers' && <HeadersForm userId={userId} connection={connection} onSaid={setSaid} />}
      {canDisconnect && (
        <Disconnect
          userId={userId}
          connection={connection}
          onDone={() => {
            setSaid(`${serverName} is disconnected.`);
            // the focused button was removed
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

type ConnectionPart = Pick<UpstreamAccountCardProps, 'userId' | 'connection'>;

function SignInPart({ userId, connection, onSaid }: ConnectionPart & { onSaid: (text: string) => void }) {
  const { serverName, state } = connection;
  const host = hostText(connection);
  const signIn = useServerSignIn(userId, connection, onSaid);
  const isSignedIn = state === 'signed-in';
  return (
    <>
      <p className="text-quiet">
        {isSignedIn
          ? `Your AI clients use this account when they call ${serverName}. Only you can use it.`
          : `Sign in with your ${serverName} account to use its tools.`}
        {host && ` ${host}`}
      </p>
      {signIn.problem !== undefined && <SignInProblem text={signIn.problem} onContinue={signIn.onContinue} />}
      <div>
        <Button variant={isSignedIn ? 'secondary' : 'primary'} loading={signIn.isPending} onClick={signIn.start}>
          {isSignedIn ? 'Sign in again' : `Sign in to ${serverName}`}
        </Button>
      </div>
      <OtherWindowHint text={signIn.hint} />
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
    mutationFn: () => upstreamsApi.deleteUpstreamConnection({ params: { userId, serverId } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: upstreamKey(userId) });
      setAsking(false);
      onDone();
    },
  });
  return (
    <div className="border-t border-line pt-4">
      <Button variant="secondary" onClick={() => setAsking(true)}>
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
          ? `We delete your ${serverName} sign-in. Your data at ${serverName} stays there. Its tools will ask you to sign in again.`
          : 'We delete the headers that you entered. Its tools stop working until you enter them again.'}
      </ConfirmDialog>
    </div>
  );
}
