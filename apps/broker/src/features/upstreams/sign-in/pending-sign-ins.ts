import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { StoreParts } from './account-store.ts';
import { bindingSchema } from './tokens/oauth-client.ts';

export const lifetimeMs = 10 * 60_000;
const table = 'upstream_sign_ins';
/** Pending sign-ins of one user at a server that are read, since each has to be decrypted. */
const maxRead = 20;

const pendingSchema = z.object({
  verifier: z.string(),
  boundTo: z.string(),
  scopes: z.array(z.string()),
  binding: bindingSchema,
  redirectUri: z.string(),
  /** Whether the end of the sign-in switches the server on. */
  enables: z.boolean(),
});
type Pending = z.output<typeof pendingSchema>;
export type TakenSignIn = Pending & { serverId: string };

/** Sign-ins under way. Each belongs to one user in one browser and is used once. */
export function createPendingSignIns({ db, vault, clock, ids }: StoreParts) {
  return {
    /** Stores a sign-in. Returns its id. */
    async add(
      { userId, browser }: { userId: string; browser: string },
      serverId: string,
      state: string,
      pending: Pending,
    ): Promise<string> {
      const id = ids.uuid();
      await db.query(
        `insert into upstream_sign_ins (id, state_hash, browser_hash, user_id, server_id, sealed, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          id,
          hash(state),
          hash(browser),
          userId,
          serverId,
          vault.seal({ table, row: id, userId }, JSON.stringify(pending)),
          new Date(clock.now() + lifetimeMs),
        ],
      );
      return id;
    },

    /**
     * Takes the sign-in of this state if it is this user's in this browser; otherwise returns undefined and keeps it.
     * If two requests try to take the same sign-in, only one gets it.
     */
    async take(
      { userId, browser }: { userId: string; browser: string },
      state: string,
    ): Promise<TakenSignIn | undefined> {
      const { rows } = await db.query<{ id: string; server_id: string; sealed: string }>(
        `delete from upstream_sign_ins
         where state_hash = $1 and browser_hash = $2 and user_id = $3 and expires_at > $4
         returning id, server_id, sealed`,
        [hash(state), hash(browser), userId, new Date(clock.now())],
      );
      const [row] = rows;
      if (!row) return undefined;
      const pending = pendingSchema.parse(JSON.parse(vault.open({ table, row: row.id, userId }, row.sealed)));
      return { ...pending, serverId: row.server_id };
    },

    /** Returns the ids of the clients with which this user was sent to sign in at a server and did not come back. */
    async clientsWithoutReturn(userId: string, serverId: string): Promise<ReadonlySet<string>> {
      const { rows } = await db.query<{ id: string; sealed: string }>(
        `select id, sealed from upstream_sign_ins where user_id = $1 and server_id = $2
         order by expires_at desc limit ${maxRead}`,
        [userId, serverId],
      );
      const open = ({ id, sealed }: { id: string; sealed: string }) =>
        pendingSchema.parse(JSON.parse(vault.open({ table, row: id, userId }, sealed)));
      return new Set(rows.map((row) => open(row).binding.client.clientId));
    },

    async removeExpired(): Promise<void> {
      await db.query('delete from upstream_sign_ins where expires_at <= $1', [new Date(clock.now())]);
    },
  };
}

export type PendingSignIns = ReturnType<typeof createPendingSignIns>;

/** Hashes a state or browser secret. Only hashes are stored, because these work like passwords until they are used. */
function hash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
