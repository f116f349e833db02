import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JWK } from 'jose';
import type { Clock } from '#platform/clock.ts';
import type { LiveBrokers } from '#platform/db/share-of.ts';
import type { Query } from '#platform/db/database.ts';
import type { AccessTokens } from '../authentication/verify-access-token.ts';
import type { IdentityEvents } from '../identity-events.ts';
import type { UserStore } from '../users/user-store.ts';
import type { AuthorizationServer } from './create-authorization-server.ts';
import type { Resources } from './resources.ts';

export type OAuthParts = AuthorizationServer & {
  publicUrl: string;
  brandName: string;
  publicKeys: () => readonly JWK[];
  resources: Resources;
  accessTokens: AccessTokens;
  users: UserStore;
  clock: Clock;
  brokers: Pick<LiveBrokers, 'count'>;
  query: Query;
  events: IdentityEvents | undefined;
};

/** Hands a request over to oidc-provider. `body` replaces the stream, which Fastify has read to its end. */
export type PassOn = (request: FastifyRequest, reply: FastifyReply, body?: string) => void;
