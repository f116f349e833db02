import type { UpstreamAccount } from '@souk/contract/upstreams.ts';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { LoadError } from '#web/loading/load-error.tsx';
import { describeState, hostText } from './upstream-texts.ts';
import { OtherWindowHint } from './sign-in/other-window-hint.tsx';
import { SignInProblem } from './sign-in/sign-in-problem.tsx';
import { upstreamConnectionsQuery } from './upstreams-api.ts';
import { useServerSignIn } from './sign-in/use-server-sign-in.ts';

/**
 * Services that need an account of the user, each with a sign-in in a popup window. Empty while they load.
 */
export function UpstreamAccounts({ userId }: { userId: string }) {
  const list = useQuery(upstreamConnectionsQuery(userId));
  const [said, setSaid] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const saySignedIn = (text: string) => {
    setSaid(text);
    // the focused button was removed
    if (text !== '') heading.current?.focus();
  };
  if (list.isError) {
    return <LoadError title="Failed to load your accounts at services" text={failureText(list.error)} query={list} />;
  }
  if (!list.data || list.data.connections.length === 0) return null;
  return (
    <Card as="section" padding="none" className="mt-4" aria-labelledby="upstream-accounts">
      <div className="px-4 pt-4 pb-3 sm:px-5">
        <h2 id="upstream-accounts" ref={heading} tabIndex={-1} className="font-semibold outline-none">
          Services that need your account
        </h2>
        <p className="text-quiet">Sign in once at each. Only your own assistants use that account.</p>
      </div>
      <ul>
        {list.data.connections.map((connection) => (
          <UpstreamAccount key={connection.serverId} userId={userId} connection={connection} onSaid={saySignedIn} />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {said}
      </p>
    </Card>
  );
}

type UpstreamAccountProps = { userId: string; connection: UpstreamAccount; onSaid: (text: string) => void };

function UpstreamAccount({ userId, connection, onSaid }: UpstreamAccountProps) {
  const { serverId, serverName } = connection;
  const needsSignIn = connection.auth === 'oauth' && connection.state !== 'signed-in';
  const host = hostText(connection);
  const { tone, label } = describeState(connection);
  const signIn = useServerSignIn(userId, connection, onSaid);
  return (
    <li className="flex flex-col gap-3 border-t border-line px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <TextLink dir="auto" to="/connect/$serverId" params={{ serverId }}>
          {serverName}
        </TextLink>
        <StatusBadge status={label} tone={tone} />
        <span className="ml-auto flex flex-wrap gap-2">
          {needsSignIn && (
            <Button size="small" loading={signIn.isPending} onClick={signIn.start}>
              Sign in<span className="sr-only"> to {serverName}</span>
            </Button>
          )}
          <LinkButton size="small" to="/connect/$serverId" params={{ serverId }}>
            Manage<span className="sr-only"> your {serverName} account</span>
          </LinkButton>
        </span>
      </div>
      {needsSignIn && host && <p className="text-[0.8125rem] wrap-anywhere text-quiet">{host}</p>}
      <OtherWindowHint text={signIn.hint} />
      {signIn.problem !== undefined && <SignInProblem text={signIn.problem} onContinue={signIn.onContinue} />}
    </li>
  );
}
