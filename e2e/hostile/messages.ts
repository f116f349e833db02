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
};
/** A tool, and the token of the person who calls it. */
export type BadCall = { name: string; token: string };
/** What to call at once, again and again, and what to call without ever reading the answer; or that it is enough. */
export type ToCallers = { url: string; calls: BadCall[]; unread: BadCall[] } | 'stop';
export type ToBroker = 'reset-delay' | 'delay' | 'watch-memory' | 'memory' | 'stop';
/** The loop's delay, the thread's computing time per turn, and the share of time it waited for a processor. */
export type LoopDelay = { whole: DelayFigures; computed: DelayFigures; waitedShare: number };
export type DelayFigures = { p99Ms: number; maxMs: number };
