import type { Dispatcher } from 'undici';
import type { ConnectUpstream } from '#adapters/openid/openid-sign-in.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Downloads } from '#platform/http/answers/downloads.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { DeletionParts } from './account/delete-account.ts';
import type { IdentityEvents } from './identity-events.ts';
import type { ServiceNames } from './sign-in/service-names.ts';
import type { PeoplePlans } from './users/people-plans.ts';
import type { EndPaid } from './users/user-administration.ts';
import type { BeforeSignIn } from './pages/sign-in-page.ts';
import type { WelcomeNewcomer } from './users/user-store.ts';

export type IdentityOptions = {
  db: Database;
  /** publicUrl must be final: with PORT=0 the port is chosen before. */
  config: Config;
  clock: Clock;
  ids: Ids;
  log: Log;
  vault: Vault;
  /** Records the id of a deleted account outside the database; by default nowhere. */
  recordErasure?: (userId: string) => Promise<void>;
  /** Notifies the user by e-mail, in the transaction of the deletion; by default not. */
  queueFarewell?: DeletionParts['queueFarewell'];
  /** Adapter for sign-in providers: connectOpenId of adapters/openid. */
  connectUpstream: ConnectUpstream;
  /** Google's issuer; tests set their own. */
  googleIssuer?: string;
  /** Maximum number of unfinished sign-ins of all visitors; 10,000 by default. */
  mostInteractions?: number;
  /** Whether a server is deployed: only then can a client sign in at its link. By default all are. */
  hasServer?: (serverId: string) => boolean;
  /** Names of services on the consent page; their ids by default. */
  services?: ServiceNames;
  /** Downloads in progress; by default only exports. */
  downloads?: Downloads;
  /** How requests for clients' metadata documents leave; by default directly. */
  outgoing?: Outgoing;
  /** Connects to clients' metadata documents; the default refuses every non-public address. */
  documentDispatcher?: Dispatcher;
  /** Servers that a user has switched off, for their profile. This and the following come from features above. */
  disabledServers?: (userId: string) => Promise<readonly string[]>;
  /** A user's plan, for their profile. */
  planOf?: (userId: string) => Promise<{ planId: string; planStatus: string }>;
  /** Plans of many users, for the administrators' list. */
  peoplePlans?: () => PeoplePlans;
  /** Gives a new account its initial credits, in the transaction that creates it. */
  welcomeNewcomer?: WelcomeNewcomer;
  /** Facts for newcomers on the sign-in page. */
  beforeSignIn?: () => BeforeSignIn;
  /** Ends what a user has paid for when they are deactivated. */
  endPaid?: EndPaid;
  /** Servers where users signed in with their own accounts, by user. */
  signedInServers?: (userIds: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Called for each call for administrators (method and path) that another user sent. */
  recordRefusedAdmin?: (caller: Caller, call: string, address: string) => Promise<void>;
  events?: IdentityEvents;
};
