import type { UpstreamAccountState, UpstreamAccount } from '@souk/contract/upstreams.ts';
import type { StatusTone } from '#ui/status-badge.tsx';

const states: Readonly<Record<UpstreamAccountState, { tone: StatusTone; label: string }>> = {
  none: { tone: 'idle', label: 'Not signed in' },
  'signed-in': { tone: 'good', label: 'Connected' },
  'needs-sign-in': { tone: 'bad', label: 'Sign in again' },
  'headers-missing': { tone: 'idle', label: 'Headers missing' },
};

export function describeState({ state }: Pick<UpstreamAccount, 'state'>): { tone: StatusTone; label: string } {
  return states[state];
}

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** The facts of an upstream account, as terms and values. */
export function connectionFacts(connection: UpstreamAccount): { term: string; value: string }[] {
  const { account, provider, since, lastRefreshedAt } = connection;
  return [
    ...(account === undefined ? [] : [{ term: 'Account', value: account }]),
    ...(provider === undefined ? [] : [{ term: 'Signed in at', value: provider }]),
    ...(since === null ? [] : [{ term: 'Connected since', value: moment.format(new Date(since)) }]),
    ...(lastRefreshedAt === null ? [] : [{ term: 'Last refreshed', value: moment.format(new Date(lastRefreshedAt)) }]),
  ];
}
