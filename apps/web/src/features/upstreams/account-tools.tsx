import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { counted } from '#ui/text/amount.ts';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { isBeingAsked, upstreamConnectionsQuery } from './upstreams-api.ts';

type AccountToolsProps = { userId: string; server: ServerAnswer; notConnected: ReactNode };

/** Replaces the list of tools that depend on the user's account at a service: their number, or how to see them. */
export function AccountTools({ userId, server, notConnected }: AccountToolsProps) {
  const { data } = useQuery(upstreamConnectionsQuery(userId));
  const account = data?.connections.find(({ serverId }) => serverId === server.serverId);
  const name = server.displayName;
  if (account?.offers) {
    const { tools } = account.offers;
    return (
      <EmptyState
        title={`Your account has ${counted(tools, 'tool')}`}
        text={`What ${name} offers depends on your account. Your AI clients list these tools on your link.`}
      />
    );
  }
  if (account && isBeingAsked(account)) {
    return <EmptyState title="Reading your tools…" text={`Asking ${name} what it offers to your account.`} />;
  }
  if (account?.state === 'signed-in') {
    return <EmptyState title="No tools yet" text={`${name} hasn't listed the tools of your account yet.`} />;
  }
  return notConnected;
}
