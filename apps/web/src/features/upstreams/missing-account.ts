import type { UpstreamAccount } from '@souk/contract/upstreams.ts';
import { useQuery } from '@tanstack/react-query';
import { upstreamConnectionsQuery } from './upstreams-api.ts';

/** An account that the user must connect before calls of a service can succeed. */
export type MissingAccount = { serverId: string; by: UpstreamAccount['auth'] };

export function missingAccount(
  account: Pick<UpstreamAccount, 'serverId' | 'auth' | 'state'> | undefined,
): MissingAccount | undefined {
  return account && account.state !== 'signed-in' ? { serverId: account.serverId, by: account.auth } : undefined;
}

/** Returns the services whose account the user must connect or reconnect. Empty while it loads. */
export function useMissingAccounts(userId: string): ReadonlyMap<string, MissingAccount> {
  const { data } = useQuery(upstreamConnectionsQuery(userId));
  const missing = (data?.connections ?? []).flatMap((account) => missingAccount(account) ?? []);
  return new Map(missing.map((one) => [one.serverId, one]));
}

export const useAreAccountsPending = (userId: string): boolean => useQuery(upstreamConnectionsQuery(userId)).isPending;

/** Says what the user does first: "sign in to Notes", or "enter your headers for Notes". */
export const missingText = (name: string, { by }: MissingAccount): string =>
  by === 'oauth' ? `sign in to ${name}` : `enter your headers for ${name}`;
