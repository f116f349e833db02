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
  config: Pick<
    Config,
    | 'publicUrl'
    | 'brandName'
    | 'supportEmail'
    | 'google'
    | 'oidc'
    | 'standIn'
    | 'signInAllow'
    | 'adminEmails'
    | 'clientDocuments'
    | 'limits'
  >;
  clock: Clock;
  ids: Ids;
  log: Log;
  vault: Vault;
  /** Keeps the id of a deleted account outside of the database; by default nowhere. */
  noteErased?: (userId: string) => Promise<void>;
  /** Tells the person by e-mail, in the transaction of the deletion; by default not. */
  noteFarewell?: DeletionParts['noteFarewell'];
  /** The adapter towards sign-in providers: connectOpenId of adapters/openid. */
  connectUpstream: ConnectUpstream;
  /** Google's issuer; tests put theirs here. */
  googleIssuer?: string;
  /** Sign-ins that are begun and not finished, of everyone; by default 10,000. */
  mostInteractions?: number;
  /** Whether a server is deployed: only then can a client sign in at its link. By default every one is. */
  hasServer?: (serverId: string) => boolean;
  /** What the consent page calls services; by default their ids. */
  services?: ServiceNames;
  /** Files of people that are under way; by default there are no others than exports. */
  downloads?: Downloads;
  /** How requests for clients' metadata documents leave; by default directly. */
  outgoing?: Outgoing;
  /** Connects to clients' metadata documents; the default refuses every address that is not public. */
  documentDispatcher?: Dispatcher;
  /** The servers that a person has switched off, for their profile: of a feature that stands above this one. */
  disabledServers?: (userId: string) => Promise<readonly string[]>;
  /** The plan of a person, for their profile: of a feature that stands above this one. */
  planOf?: (userId: string) => Promise<{ planId: string; planStatus: string }>;
  /** Plans of many people, for the administrators' list: of a feature that stands above this one. */
  peoplePlans?: () => PeoplePlans;
  /** Gives a new account what it begins with, in the transaction that creates it: of a feature that stands above this one. */
  welcomeNewcomer?: WelcomeNewcomer;
  /** What the page of sign-in tells newcomers: of features that stand above this one. */
  beforeSignIn?: () => BeforeSignIn;
  /** Ends what a person has paid for when they are shut out: of a feature that stands above this one. */
  endPaid?: EndPaid;
  /** By user the servers where they signed in with an account of their own: of a feature that stands above this one. */
  signedInServers?: (userIds: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Is told of each call of administrators (method and path) that someone else sent. */
  noteRefusedAdmin?: (caller: Caller, call: string, address: string) => Promise<void>;
  /** Is told of clients that sign in. */
  events?: IdentityEvents;
};
