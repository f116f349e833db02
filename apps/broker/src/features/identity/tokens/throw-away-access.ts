import { mcpScopes } from '@souk/contract/identity.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Ids } from '#platform/ids.ts';
import { publicClientId, readClientMetadata } from '../oauth/client-documents/client-metadata.ts';
import type { PersonalTokenStore } from './personal-token-store.ts';

/** Temporary access for a check that acts as a client. The check removes it afterwards. */
export type ThrowAwayAccess = {
  /** Creates a personal token that expires after `lifeMs`, and is in the user's list no longer than that. */
  createToken(userId: string, name: string, lifeMs: number): Promise<{ id: string; token: string }>;
  removeToken(id: string): Promise<void>;
  /** Deletes the registration of a public client, by its metadata. */
  removeClient(metadata: object): Promise<void>;
};

export function createThrowAwayAccess(parts: {
  query: Query;
  store: Pick<PersonalTokenStore, 'insert'>;
  announce(tokenId: string): Promise<void>;
  clock: Clock;
  ids: Ids;
}): ThrowAwayAccess {
  const { query, store, clock, ids } = parts;
  return {
    async createToken(userId, name, lifeMs) {
      const id = ids.uuid();
      const nowMs = clock.now();
      const inserted = await store.insert({
        id,
        userId,
        name,
        secret: ids.secret(32),
        scopes: mcpScopes,
        createdAt: new Date(nowMs),
        expiresAt: new Date(nowMs + lifeMs),
      });
      if (typeof inserted === 'string') throw new SoukError('unauthenticated');
      return { id, token: inserted.token };
    },

    async removeToken(id) {
      await query(`delete from personal_tokens where id = $1`, [id]);
      await parts.announce(id);
    },

    async removeClient(metadata) {
      const read = readClientMetadata(metadata);
      if (!('metadata' in read)) return;
      await query(`delete from oauth_records where model = 'Client' and id = $1`, [publicClientId(read.metadata)]);
    },
  };
}
