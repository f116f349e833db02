import { randomUUID } from 'node:crypto';

/** The brokers that use this database. Limits that each of them counts by itself are shared out among them. */
export type LiveBrokers = {
  /** How many there are, with this one: as of a few seconds ago, and never a wait. */
  count(): number;
  /** From now on this is one of them. */
  join(): Promise<void>;
  leave(): Promise<void>;
  /** What this one says of itself with each sign. */
  describe(read: () => BrokerFigures): void;
  /** All that gave a sign within an hour and did not leave, this one first. */
  list(): Promise<readonly ListedBroker[]>;
};

export type BrokerFigures = {
  version: string;
  since: Date;
  callsPerSecond: number;
  lagMs: number | null;
  /** Ids of the master keys that it has, and of the one that it seals with. */
  keyIds: readonly string[];
  sealingId: string;
};
/** A broker in the list. Its figures are null until its first report. */
export type ListedBroker = { id: string; isThis: boolean; isAlive: boolean; seenAt: Date } & {
  [Name in keyof BrokerFigures]: BrokerFigures[Name] | null;
};

/** An embedded database has one broker. */
export function createOneBroker(): LiveBrokers {
  const id = randomUUID();
  let read: (() => BrokerFigures) | undefined;
  return {
    count: () => 1,
    join: async () => {},
    leave: async () => {},
    describe(figures) {
      read = figures;
    },
    async list() {
      return read ? [{ id, isThis: true, isAlive: true, seenAt: new Date(), ...read() }] : [];
    },
  };
}

/** For what counts alone. */
export const oneBroker: Pick<LiveBrokers, 'count'> = { count: () => 1 };

/** What is each broker's, of something that all have together: whole, and never nothing. */
export const shareOf = (whole: number, brokers: Pick<LiveBrokers, 'count'>): number =>
  Math.ceil(whole / brokers.count());
