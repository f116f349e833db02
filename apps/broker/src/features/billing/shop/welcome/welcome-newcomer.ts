import { createHmac } from 'node:crypto';
import { foldEmail } from '@souk/contract/fold-email.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { welcomeIdem } from '../../credits/accounts/accounts.ts';
import { grantCredits } from '../../credits/accounts/change-credits.ts';
import { recordTransaction } from '../record-transaction.ts';

const description = 'Welcome credits';

/** Gives the welcome credits to a new account, in the transaction that creates it. */
export type WelcomeNewcomer = (query: Query, newcomer: { userId: string; email: string }) => Promise<void>;

/**
 * Gives each address welcome credits once, even if two of its identities sign in at the same time, or its account was deleted:
 * the second one waits for the fingerprint of the first, and finds it.
 * @param parts.credits 0: none are given
 */
export function createWelcomeNewcomer(parts: {
  credits: number;
  livemode: boolean;
  currency: string;
  key: Uint8Array;
  uuid: () => string;
  clock: Clock;
}): WelcomeNewcomer {
  const { credits, livemode, currency, key, uuid, clock } = parts;
  return async (query, { userId, email }) => {
    if (credits === 0) return;
    const fingerprint = createHmac('sha256', key).update(foldEmail(email)).digest('base64url');
    const { rows } = await query(
      `insert into welcomed_addresses (fingerprint, livemode) values ($1, $2) on conflict do nothing returning livemode`,
      [fingerprint, livemode],
    );
    if (rows.length === 0) return;
    const idem = welcomeIdem(userId);
    const at = new Date(clock.now());
    await grantCredits(query, { userId, livemode, credits, source: 'promotional', idem, reason: description });
    await recordTransaction(query, {
      id: uuid(),
      userId,
      livemode,
      type: 'credit_purchase',
      status: 'completed',
      description: `${description}: ${credits}`,
      amount: 0,
      currency,
      idem,
      at,
    });
    await writeAuditWith(
      query,
      { actorId: undefined, action: 'credits.welcome', subject: userId, details: { credits } },
      at,
    );
  };
}
