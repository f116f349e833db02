import { randomUUID } from 'node:crypto';
import { grantCredits } from '#features/billing/index.ts';
import type { TestApp } from '../start-app.ts';

/** Gives a user sandbox credits, as a purchase would. @param email address of a user who has signed in before */
export async function giveCredits({ db }: Pick<TestApp, 'db'>, email: string, credits: number): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select id from users where email = $1', [email]);
  const userId = rows[0]?.id;
  if (userId === undefined) throw new Error(`there is no user ${email}`);
  await db.transaction((query) =>
    grantCredits(query, { userId, livemode: false, credits, source: 'purchased', idem: randomUUID() }),
  );
  return userId;
}
