import type { Query } from '#platform/db/database.ts';

/** A change of the plan of a subscription, as it was decided. */
export type PlanDecision = {
  id: string;
  paymentId: string;
  /** The price that the subscription had, and the one that it gets: ids of the provider. */
  fromPriceId: string;
  priceId: string;
  /** Minor units that the person saw and pays now. */
  amountDue: number;
  /** The second for which they were reckoned; undefined: the plan begins with the next period. */
  prorationDate: number | undefined;
  state: 'open' | 'done' | 'dropped';
};

type Row = {
  id: string;
  payment_id: string;
  from_price_id: string;
  price_id: string;
  amount_due: number;
  proration_date: number | null;
  state: PlanDecision['state'];
};

const columns = 'id, payment_id, from_price_id, price_id, amount_due, proration_date, state';
const present = (row: Row): PlanDecision => ({
  id: row.id,
  paymentId: row.payment_id,
  fromPriceId: row.from_price_id,
  priceId: row.price_id,
  amountDue: row.amount_due,
  prorationDate: row.proration_date ?? undefined,
  state: row.state,
});

/** The name of a decision in the metadata of the provider's subscription. */
export const changeName = 'change';

/** Writes a decision down. Those that are open for the same subscription are dropped: it takes their place. */
export async function decideChange(
  query: Query,
  { userId, livemode, at, ...decision }: Omit<PlanDecision, 'state'> & { userId: string; livemode: boolean; at: Date },
): Promise<void> {
  const { id, paymentId, fromPriceId, priceId, amountDue, prorationDate } = decision;
  await query(
    `with dropped as (update plan_changes set state = 'dropped' where payment_id = $4 and state = 'open')
     insert into plan_changes (id, user_id, livemode, payment_id, from_price_id, price_id, amount_due, proration_date, decided_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, userId, livemode, paymentId, fromPriceId, priceId, amountDue, prorationDate ?? null, at],
  );
}

/** What may still be made at the provider is not wanted any more, as when the plan is canceled. */
export async function dropOpenChanges(query: Query, paymentId: string): Promise<void> {
  await query(`update plan_changes set state = 'dropped' where payment_id = $1 and state = 'open'`, [paymentId]);
}

/** The newest decision about a subscription, where it is of the same click: one that was sent again, since its answer was lost. */
export async function findSameChange(
  query: Query,
  { paymentId, priceId, prorationDate }: { paymentId: string; priceId: string; prorationDate: number },
): Promise<PlanDecision | undefined> {
  const { rows } = await query<Row>(
    `select ${columns} from plan_changes where number = (select max(number) from plan_changes where payment_id = $1)
       and price_id = $2 and proration_date = $3`,
    [paymentId, priceId, prorationDate],
  );
  return rows[0] && present(rows[0]);
}

export async function findChange(query: Query, id: string): Promise<PlanDecision | undefined> {
  const { rows } = await query<Row>(`select ${columns} from plan_changes where id::text = $1`, [id]);
  return rows[0] && present(rows[0]);
}

/** @returns false where it was decided before */
export async function endChange(query: Query, id: string, state: 'done' | 'dropped'): Promise<boolean> {
  const { rows } = await query(`update plan_changes set state = $2 where id = $1 and state = 'open' returning id`, [
    id,
    state,
  ]);
  return rows.length === 1;
}

/** The provider took another amount than the person saw: what it took goes back. */
export async function dropChange(query: Query, id: string): Promise<void> {
  await query(`update plan_changes set state = 'dropped' where id = $1`, [id]);
}

/** The price that a subscription has where a dropped change did not happen: of the change that took its place, or the one before. */
export async function priceWithout(query: Query, { id, paymentId, fromPriceId }: PlanDecision): Promise<string> {
  const { rows } = await query<{ price_id: string }>(
    `select price_id from plan_changes where payment_id = $1 and state = 'done'
       and number > (select number from plan_changes where id = $2) order by number desc limit 1`,
    [paymentId, id],
  );
  return rows[0]?.price_id ?? fromPriceId;
}
