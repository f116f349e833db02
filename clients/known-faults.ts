import type { Column } from './columns.ts';

/** A fault of a client that its maintainers know of. It excuses a cell only while the client fails in this very way. */
export type KnownFault = {
  client: string;
  column: Column;
  /** What the failed cell says. */
  when: RegExp;
  says: string;
  thread: string;
};

export const knownFaults: readonly KnownFault[] = [];
