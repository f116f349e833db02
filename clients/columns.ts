/** The checks of each client, in this order. */
export const columns = [
  ['connect', 'the client connects with only the link: discovery, registration or metadata document, sign-in, consent'],
  ['list', 'the client lists the tools of enabled services'],
  ['call', 'a call returns its result'],
  ['progress', 'a long call returns its result, and its progress reaches a client that requests it'],
  ['question', 'a call that needs a sign-in at the service returns a link, and works after that sign-in'],
  ['form', "the user answers a server's question in a form, and the call returns that answer"],
  ['off and on', 'a disabled service leaves the list, and returns when the user enables it again'],
  ['restart', 'the connection survives a restart of the broker'],
  ['refresh', 'the client renews a refused access token without the user'],
  ['revoke', 'after the user disconnects the client, nothing works until a new sign-in'],
] as const;

export type Column = (typeof columns)[number][0];

/**
 * Result of one check. ok: it works. fault: a known fault of the client, with its thread. none: the client lacks the feature,
 * as its requests show. not run: the note has the reason. failed: any other failure.
 */
export type Cell =
  | { state: 'ok' | 'none'; note?: string }
  | { state: 'fault'; note: string; thread: string }
  | { state: 'not run' | 'failed'; note: string };

export type Row = {
  name: string;
  label: string;
  version: string;
  /** Facts from the client's requests: its own name, the protocol revision, the kind of sign-in. */
  told: string;
  cells: Record<Column, Cell>;
};

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
