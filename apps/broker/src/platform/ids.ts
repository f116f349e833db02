import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from './clock.ts';

/** Identifiers and randomness as an argument, so that a run can be repeated from its seed. */
export type Ids = {
  /** A UUIDv7: sorts by time, so rows are appended rather than scattered over the index. */
  uuid(): string;
  /** `bytes` of randomness in base64url. */
  secret(bytes: number): string;
};

export function createIds(clock: Clock, random: (bytes: number) => Uint8Array = randomBytes): Ids {
  return {
    uuid: () => v7({ msecs: clock.now(), random: random(16) }),
    secret: (bytes) => Buffer.from(random(bytes)).toString('base64url'),
  };
}
