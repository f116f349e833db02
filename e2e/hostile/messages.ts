/** The messages between the suite and its broker. */
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
export type ToBroker = 'reset-delay' | 'delay' | 'watch-memory' | 'memory' | 'stop';
/** The loop's delay, the thread's computing time per turn, and the share of time it waited for a processor. */
export type LoopDelay = { whole: DelayFigures; computed: DelayFigures; waitedShare: number };
export type DelayFigures = { p99Ms: number; maxMs: number };
