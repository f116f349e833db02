import { randomUUID } from 'node:crypto';

/** The brokers that use this database. They share limits that each of them counts by itself. */
export type LiveBrokers = {
  /** Returns the number of live brokers, this one included, as of a few seconds ago. */
  count(): number;
  join(): Promise<void>;
  leave(): Promise<void>;
  /** Sets the figures that this broker reports with each heartbeat. */
  describe(read: () => BrokerFigures): void;
  /** Lists brokers with a heartbeat in the last hour that did not leave, this one first. */
  list(): Promise<readonly ListedBroker[]>;
};

export type BrokerFigures = {
  version: string;
  since: Date;
  callsPerSecond: number;
  lagMs: number | null;
  /** Ids of its master keys, and of the one that it seals with. */
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

/** For limits that are not shared. */
export const oneBroker: Pick<LiveBrokers, 'count'> = { count: () => 1 };

/** Returns one broker's share of a common limit, a whole number and at least 1. */
export const shareOf = (whole: number, brokers: Pick<LiveBrokers, 'count'>): number =>
  Math.ceil(whole / brokers.count());
