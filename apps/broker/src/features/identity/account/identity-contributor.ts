import type { Database } from '#platform/db/database.ts';
import type { Authorizations } from '../oauth/authorizations.ts';
import { frontendClientId } from '../oauth/resources.ts';
import type { PersonalTokens } from '../tokens/personal-tokens.ts';
import type { AccountContributor } from './account-contributors.ts';

/** Exports and erases identity's own data. The deletion ends the user's sign-ins in a step of its own (end-access.ts). */
export function createIdentityContributors(parts: {
  db: Database;
  tokens: PersonalTokens;
  authorizations: Authorizations;
}): AccountContributor[] {
  const { db, tokens, authorizations } = parts;
  return [
    {
      name: 'profile',
      export: async (userId) => {
        const { rows } = await db.query(
          `select email, display_name, photo_url, created_at, last_login_at from users where id = $1`,
          [userId],
        );
        const [user] = rows;
        return user && { id: userId, ...camelCased(user) };
      },
      // the row stays: usage and charges refer to it, and it no longer identifies the user
      erase: (userId, query) =>
        query(`update users set email = '', display_name = '', photo_url = null, last_login_at = null where id = $1`, [
          userId,
        ]),
    },
    {
      name: 'identities',
      export: async (userId) => {
        const { rows } = await db.query(
          `select provider, subject, created_at from identities where user_id = $1 order by created_at`,
          [userId],
        );
        return rows.map(camelCased);
      },
      erase: async (userId, query) => {
        // the stand-in stores its own sign-ins by e-mail address, its subject
        await query(
          `delete from oauth_records where model like 'stand-in:%' and exists (
             select from identities i where i.user_id = $1 and i.provider = 'dev' and i.subject in
               (account_id, payload->'result'->'login'->>'accountId', payload->'session'->>'accountId'))`,
          [userId],
        );
        await query(`delete from identities where user_id = $1`, [userId]);
      },
    },
    {
      name: 'signInHistory',
      export: async (userId) => {
        const { rows } = await db.query(
          `select at, provider, address, browser_name, outcome from sign_ins where user_id = $1
           order by at desc, id desc limit 10000`,
          [userId],
        );
        return rows.map(camelCased);
      },
      erase: (userId, query) => query(`delete from sign_ins where user_id = $1`, [userId]),
    },
    {
      name: 'accessTokens',
      export: (userId) => tokens.list(userId),
      erase: (userId, query) => query(`delete from personal_tokens where user_id = $1`, [userId]),
    },
    {
      name: 'connectedApps',
      export: async (userId) => {
        const rows = await authorizations.list(userId);
        return rows.map((row) => ({
          ...(row.client_id === frontendClientId ? { kind: 'browser' } : { kind: 'client' }),
          ...camelCased(row),
        }));
      },
      erase: (userId, query) => query(`delete from authorizations where user_id = $1`, [userId]),
    },
  ];
}

/** Spells a row's names like the rest of our JSON. */
function camelCased(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
