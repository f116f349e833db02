/** The checks of each client, in this order. */
export const columns = [
  ['connect', 'connects with only the link: discovery, registration or metadata document, sign-in, consent'],
  ['list', 'its list has the tools of enabled services'],
  ['call', 'a call gets its answer'],
  ['progress', 'a long call answers, and its progress reaches a client that asks for it'],
  ['question', 'a call that needs a sign-in elsewhere says so with a link, and works after that sign-in'],
  ['form', 'the user answers a question of a server in a form, and the call ends with the answer'],
  ['off and on', 'a service that the user disables leaves the list, and returns once it is enabled'],
  ['restart', 'its connection survives a restart of the broker'],
  ['refresh', 'a refused access token is renewed without the user'],
  ['revoke', 'once the user disconnects it nothing works until a new sign-in'],
] as const;

export type Column = (typeof columns)[number][0];

/**
 * Result of one check. ok: it works. fault: a known fault of the client, with its thread. none: the client lacks the feature,
 * as its requests show. not run: with the reason. failed: anything else.
 */
export type Cell =
  | { state: 'ok' | 'none'; note?: string }
  | { state: 'fault'; note: string; thread: string }
  | { state: 'not run' | 'failed'; note: string };

export type Row = {
  name: string;
  label: string;
  version: string;
  /** Facts that the client's requests tell: its own name, the protocol revision, how it signed in. */
  told: string;
  cells: Record<Column, Cell>;
};

/** Returns cells that are all the same. */
export const sameInAll = (cell: Cell): Record<Column, Cell> => ({
  connect: cell,
  list: cell,
  call: cell,
  progress: cell,
  question: cell,
  form: cell,
  'off and on': cell,
  restart: cell,
  refresh: cell,
  revoke: cell,
});
