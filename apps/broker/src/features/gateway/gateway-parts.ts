import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Connections } from '#features/connections/index.ts';
import type { UsageWriter } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { InputRounds } from './input-rounds/create-input-rounds.ts';
import type { AccessPolicy, PersonalView } from './person.ts';
import type { ResourceSubscriptions } from './subscriptions/resource-subscriptions.ts';

/** What the gateway's use cases work with. */
export type GatewayParts = {
  catalogue: Catalogue;
  pool: Connections['pool'];
  usage: UsageWriter;
  /** What each person sees of each server. */
  access: PersonalView;
  /** Who may use which server, switched off or not. */
  entitled: AccessPolicy;
  /** Whether the person must sign in at a server before its tools answer. */
  needsSignIn(userId: string, server: CatalogueServer): Promise<boolean>;
  /** Whether this client gets the short list of /mcp. */
  isCompact(caller: Caller): Promise<boolean>;
  /** Counts one call; false when the token or the person has made too many in the last minute. */
  withinRate(caller: Caller): boolean;
  /** After how many seconds withinRate will be true again. */
  retryAfterSeconds(caller: Caller): number;
  /** Calls of several rounds, for clients that cannot be asked in the middle of one. */
  rounds: InputRounds;
  subscriptions: ResourceSubscriptions;
  publicUrl: string;
  clock: Clock;
  ids: Ids;
  log: Log;
};
