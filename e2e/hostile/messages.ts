/** What the suite and its broker tell each other. */
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
/** The delay of the loop, what the thread computed in a turn of it, and how much of the time it waited for a processor. */
export type LoopDelay = { whole: DelayFigures; computed: DelayFigures; waitedShare: number };
export type DelayFigures = { p99Ms: number; maxMs: number };
