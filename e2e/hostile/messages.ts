/** The messages between the suite, its broker and the clients of the bad servers. */
export type BrokerStart = {
  port: number;
  dataDir: string;
  catalogue: string;
  allowlist: string;
  allowAddresses: string[];
  servers: {
    manifest: { id: string } & Record<string, unknown>;
    expectStatus: 'connected' | 'disconnected' | 'error' | undefined;
  }[];
  people: string[];
  /** Each of them has so many credits. */
  credits?: number;
  /** So many calls of the last one are on record. */
  recordedCalls?: number;
  /** Further settings of the broker. */
  env?: Record<string, string>;
};
/** A tool, and the token of the person who calls it. */
export type BadCall = { name: string; token: string };
/** What to call at once, again and again, and what to call without ever reading the answer; or that it is enough. */
export type ToCallers = { url: string; calls: BadCall[]; unread: BadCall[] } | 'stop';
export type ToBroker = 'reset-delay' | 'delay' | 'watch-memory' | 'memory' | 'holdings' | 'ledger' | 'stop';
/** What the broker holds, after its garbage was collected: memory in MiB, and what Node keeps open, by kind. */
export type Holdings = { residentMiB: number; heapMiB: number; open: Record<string, number> };
/** What all people were charged, and what in the ledger does not add up. */
export type Charges = { charged: number; faults: number };
/** The loop's delay, the thread's computing time per turn, and the share of time it waited for a processor. */
export type LoopDelay = { whole: DelayFigures; computed: DelayFigures; waitedShare: number };
export type DelayFigures = { p99Ms: number; maxMs: number };
