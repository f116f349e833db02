import type { ConnectionState, UpstreamConnection } from '@souk/contract/connections.ts';
import type { StatusTone } from '#ui/status-badge.tsx';

const states: Readonly<Record<ConnectionState, { tone: StatusTone; label: string }>> = {
  none: { tone: 'idle', label: 'Not signed in' },
  'signed-in': { tone: 'good', label: 'Connected' },
  'needs-sign-in': { tone: 'bad', label: 'Sign in again' },
  'headers-missing': { tone: 'idle', label: 'Headers missing' },
};

export function describeState({ state }: Pick<UpstreamConnection, 'state'>): { tone: StatusTone; label: string } {
  return states[state];
}

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** What is known of a connection, as terms and values. */
export function connectionFacts(connection: UpstreamConnection): { term: string; value: string }[] {
  const { account, provider, since, lastRefreshedAt } = connection;
  return [
    ...(account === undefined ? [] : [{ term: 'Account there', value: account }]),
    ...(provider === undefined ? [] : [{ term: 'Signed in at', value: provider }]),
    ...(since === null ? [] : [{ term: 'Since', value: moment.format(new Date(since)) }]),
    ...(lastRefreshedAt === null ? [] : [{ term: 'Last renewed', value: moment.format(new Date(lastRefreshedAt)) }]),
  ];
}

export function failureText(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'An unexpected error occurred';
}
