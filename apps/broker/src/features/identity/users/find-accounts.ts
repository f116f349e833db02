import { foldEmail } from '@souk/contract/fold-email.ts';
import type { Query } from '#platform/db/database.ts';
import { providerIdOf, type ProviderId, type StoredProvider } from './user-provider.ts';

/** An account that an operator may mean. */
export type FoundAccount = {
  id: string;
  provider: ProviderId;
  isActive: boolean;
  createdAt: Date;
  lastLoginAt: Date | null;
};

/** Finds the accounts with an address, oldest first: of one provider or of all configured ones. */
export type FindAccounts = (email: string, provider?: ProviderId) => Promise<FoundAccount[]>;

/** An address may have two accounts: at two providers, or at one company for its former and its present owner. */
export function createFindAccounts(query: Query, providers: readonly StoredProvider[]): FindAccounts {
  return async (email, provider) => {
    const { rows } = await query<Omit<FoundAccount, 'provider'> & { provider: StoredProvider }>(
      `select u.id, i.provider, u.is_active as "isActive", u.created_at as "createdAt", u.last_login_at as "lastLoginAt"
       from users u join identities i on i.user_id = u.id
       where u.email = $1 and u.deleted_at is null
         and (case when $2::text is null then i.provider = any($3::text[]) else split_part(i.provider, ':', 1) = $2 end)
       order by u.created_at`,
      [foldEmail(email), provider ?? null, providers],
    );
    return rows.map((row) => ({ ...row, provider: providerIdOf(row.provider) }));
  };
}
