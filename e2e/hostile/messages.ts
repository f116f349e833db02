/** First message from the suite to its broker. */
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
  /** Credits of each user. */
  credits?: number;
  /** Number of recorded calls of the last user. */
  recordedCalls?: number;
  /** Further settings of the broker. */
  env?: Record<string, string>;
};
/** A tool, and the token of the user who calls it. */
export type BadCall = { name: string; token: string };
/**
 * Message to the clients of the bad servers: calls to repeat, and calls whose responses are never read; or the order to
 * stop.
 */
export type ToCallers = { url: string; calls: BadCall[]; unread: BadCall[] } | 'stop';
export type ToBroker = 'reset-delay' | 'delay' | 'watch-memory' | 'memory' | 'holdings' | 'ledger' | 'stop';
/** Resources of the broker after a garbage collection: memory in MiB, and the resources that Node keeps open, by kind. */
export type Holdings = { residentMiB: number; heapMiB: number; open: Record<string, number> };
/** Credits that all users were charged, and the number of faults in the ledger. */
export type Charges = { charged: number; faults: number };
/** Delay of the loop, the thread's computing time in a turn, and its share of time without a processor. */
export type LoopDelay = { whole: DelayFigures; computed: DelayFigures; waitedShare: number };
export type DelayFigures = { p99Ms: number; maxMs: number };
