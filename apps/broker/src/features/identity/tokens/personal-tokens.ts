import type { McpScope, PersonalToken } from '@souk/contract/identity.ts';
import type { Clock } from '#platform/clock.ts';
import { SoukError } from '#platform/errors.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { createUseRecorder } from '../authentication/use-recorder.ts';
import { roleOf } from '../users/role.ts';
import { presentPersonalToken, type OnTokenStored, type PersonalTokenStore } from './personal-token-store.ts';

const dayMs = 86_400_000;
/** Per user, expired ones included: the list shows each until it is revoked. */
const mostTokens = 50;

export type PersonalTokens = ReturnType<typeof createPersonalTokens>;

export function createPersonalTokens(parts: {
  store: PersonalTokenStore;
  clock: Clock;
  ids: Ids;
  log: Log;
  adminEmails: readonly string[];
  maySignIn(email: string): boolean;
  onRevoked: (tokenId: string) => Promise<void>;
}) {
  const { store, clock, ids, log } = parts;
  const uses = createUseRecorder({ clock, log, write: store.recordUse });

  return {
    /**
     * Creates a token, which only this answer contains.
     * @throws SoukError unauthenticated for a deleted account; pat_too_many
     */
    async create(
      userId: string,
      wish: { name: string; scopes: readonly McpScope[]; expiresInDays: number },
      onStored?: OnTokenStored,
    ): Promise<PersonalToken & { token: string }> {
      const nowMs = clock.now();
      const inserted = await store.insert({
        id: ids.uuid(),
        userId,
        name: wish.name,
        secret: ids.secret(32),
        scopes: wish.scopes,
        createdAt: new Date(nowMs),
        expiresAt: new Date(nowMs + wish.expiresInDays * dayMs),
        most: mostTokens,
        onStored,
      });
      if (inserted === 'gone') throw new SoukError('unauthenticated');
      if (inserted === 'full') throw new SoukError('pat_too_many');
      return { ...presentPersonalToken(inserted.row, nowMs), token: inserted.token };
    },

    /** The caller of a personal token; undefined when the token is invalid. */
    async authenticate(token: string): Promise<Caller | undefined> {
      const nowMs = clock.now();
      const row = await store.findValid(token, new Date(nowMs));
      if (!row || !parts.maySignIn(row.email)) return undefined;
      uses.note(row.id);
      return {
        userId: row.user_id,
        role: roleOf(row.email, parts.adminEmails),
        kind: 'personal',
        clientId: 'personal',
        tokenId: row.id,
        scopes: row.scopes,
        expiresAtMs: row.expires_at.getTime(),
      };
    },

    async list(userId: string): Promise<PersonalToken[]> {
      const rows = await store.list(userId);
      return rows.map((row) => presentPersonalToken(row, clock.now()));
    },

    /** @returns false for a token that is unknown, already revoked, or another user's */
    async revoke(userId: string, id: string): Promise<boolean> {
      const revoked = await store.revoke(userId, id, new Date(clock.now()));
      if (revoked === undefined) return false;
      await parts.onRevoked(id);
      return true;
    },

    async stats(userId: string) {
      const { last_used_at: lastUsedAt, ...counts } = await store.stats(userId, new Date(clock.now()));
      return { ...counts, lastUsedAt: lastUsedAt?.toISOString() ?? null };
    },

    stop: uses.flush,
  };
}
