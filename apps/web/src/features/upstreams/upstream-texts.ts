import type { UpstreamAccountState, UpstreamAccount } from '@souk/contract/upstreams.ts';
import { formatCount, formatMoment } from '#ui/text/amount.ts';
import type { StatusTone } from '#ui/state/status-badge.tsx';

const states: Readonly<Record<UpstreamAccountState, { tone: StatusTone; label: string }>> = {
  none: { tone: 'idle', label: 'Not signed in' },
  'signed-in': { tone: 'good', label: 'Connected' },
  'needs-sign-in': { tone: 'bad', label: 'Sign in again' },
  'headers-missing': { tone: 'idle', label: 'Headers missing' },
};

export function describeState({ state }: Pick<UpstreamAccount, 'state'>): { tone: StatusTone; label: string } {
  return states[state];
}

export function connectionFacts(connection: UpstreamAccount): { term: string; value: string }[] {
  const { account, provider, since, lastRefreshedAt, offers } = connection;
  return [
    ...(account === undefined ? [] : [{ term: 'Account', value: account }]),
    ...(provider === undefined ? [] : [{ term: 'Signed in at', value: provider }]),
    ...(offers === undefined ? [] : [{ term: 'Tools', value: toolsText(offers) }]),
    ...(since === null ? [] : [{ term: 'Connected since', value: formatMoment(since) }]),
    ...(lastRefreshedAt === null ? [] : [{ term: 'Last refreshed', value: formatMoment(lastRefreshedAt) }]),
  ];
}

function toolsText({ tools, toolsUnderReview }: NonNullable<UpstreamAccount['offers']>): string {
  return toolsUnderReview === 0 ? formatCount(tools) : `${formatCount(tools)}, and ${toolsUnderReview} under review`;
}

/** Says why the user sees fewer tools than their account has, and what they can do about it. */
export function reviewText({ offers, serverName }: UpstreamAccount): string | undefined {
  if (offers === undefined || offers.toolsUnderReview === 0) return undefined;
  const [subject, them] =
    offers.toolsUnderReview === 1 ? ['1 tool has', 'it'] : [`${offers.toolsUnderReview} tools have`, 'them'];
  return `${subject} changed since you connected ${serverName}. An administrator can approve ${them}, or you can disconnect and connect again to accept ${them}.`;
}

/** Names the host of the sign-in if it is not the service's, so that the user knows it before the window opens. */
export function hostText({ signInAt, serverName }: UpstreamAccount): string | undefined {
  if (signInAt === undefined || signInAt === serverName) return undefined;
  return `You'll sign in to ${serverName} at ${signInAt}.`;
}
