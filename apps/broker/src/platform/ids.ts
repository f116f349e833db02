import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from './clock.ts';

/** Fetched at once, since 16 random bytes from the system cost more than most steps of a call. */
const poolBytes = 8192;

function createRandomPool(): (bytes: number) => Uint8Array {
  let pool = Buffer.alloc(0);
  return (bytes) => {
    if (bytes > poolBytes) return randomBytes(bytes);
    if (pool.length < bytes) pool = randomBytes(poolBytes);
    const taken = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  };
}

/** Identifiers and randomness as an argument, so that a run can be repeated from its seed. */
export type Ids = {
  /** Returns a UUIDv7. It sorts by time, so that rows are appended rather than scattered over the index. */
  uuid(): string;
  /** Returns `bytes` of randomness in base64url. */
  secret(bytes: number): string;
};

export function createIds(clock: Clock, random: (bytes: number) => Uint8Array = createRandomPool()): Ids {
  return {
    uuid: () => v7({ msecs: clock.now(), random: random(16) }),
    secret: (bytes) => Buffer.from(random(bytes)).toString('base64url'),
  };
}
