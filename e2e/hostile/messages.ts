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
/** `own` is without the time in which the machine was busy with other processes. */
export type LoopDelay = { whole: DelayFigures; own: DelayFigures };
export type DelayFigures = { p99Ms: number; maxMs: number };
