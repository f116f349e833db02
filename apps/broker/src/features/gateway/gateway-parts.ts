import type { Catalogue } from '#features/catalogue/index.ts';
import type { Connections } from '#features/connections/index.ts';
import type { UsageWriter } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { InFlight } from './in-flight.ts';
import type { AccessPolicy } from './person.ts';

/** What the gateway's use cases work with. */
export type GatewayParts = {
  catalogue: Catalogue;
  pool: Connections['pool'];
  usage: UsageWriter;
  access: AccessPolicy;
  /** Counts one call; false when the token or the person has made too many in the last minute. */
  withinRate(caller: Caller): boolean;
  inFlight: InFlight;
  publicUrl: string;
  clock: Clock;
  ids: Ids;
  log: Log;
};
