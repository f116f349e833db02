/** What is looked at with each client, in this order. */
export const columns = [
  ['connect', 'connects with only the link: discovery, registration or metadata document, sign-in, consent'],
  ['list', 'its list has the tools of enabled services'],
  ['call', 'a call gets its answer'],
  ['progress', 'a long call answers, and its progress reaches a client that asks for it'],
  ['question', 'a call that needs a sign-in elsewhere says so with a link, and works after that sign-in'],
  ['form', 'a question of a server is answered by its user in a form, and the call ends with that'],
  ['off and on', 'a service that its user disables leaves, and comes back'],
  ['restart', 'the connection that it has survives a restart of the broker'],
  ['refresh', 'an access token that is refused is renewed without the user'],
  ['revoke', 'after its user disconnects it nothing works, and a new sign-in does'],
] as const;

export type Column = (typeof columns)[number][0];

/**
 * ok: seen to work. fault: the client's own, with its thread. none: the client has no such feature, as its requests show.
 * not run: not tried, with the reason. failed: anything else.
 */
export type Cell =
  | { state: 'ok' | 'none'; note?: string }
  | { state: 'fault'; note: string; thread: string }
  | { state: 'not run' | 'failed'; note: string };

export type Row = {
  name: string;
  label: string;
  version: string;
  /** What the client told of itself: the protocol revision, how it signed in. */
  told: string;
  cells: Record<Column, Cell>;
};

/** One row in which every cell is the same. */
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
