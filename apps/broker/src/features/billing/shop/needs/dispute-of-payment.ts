import type { PersonPayment } from '@souk/contract/admin/person.ts';

/**
 * Selects the dispute that decides the state of a payment `t` of the history: the newest that keeps its money, else the newest.
 */
export const disputeSql = `
  select d.status as dispute_status, d.due_by as dispute_due_by,
    (select coalesce(-sum(e.delta), 0)::bigint from ledger_entries e
      where e.user_id = t.user_id and e.livemode = t.livemode and e.contra = 'dispute'
        and (e.idem = 'dispute:' || d.id or starts_with(e.idem, 'dispute:' || d.id || ':'))) as dispute_credits
  from disputes d
  where d.payment_intent_id = t.payment_intent_id and d.livemode = t.livemode and t.type <> 'refund'
    and d.status not in ('prevented', 'warning_closed', 'warning_under_review')
  order by d.status in ('won', 'warning_needs_response'), d.opened_at desc, d.id limit 1`;

/** Columns of `disputeSql` joined with `left join lateral`. */
export type DisputeColumns = {
  dispute_status: string | null;
  dispute_due_by: Date | null;
  dispute_credits: number | null;
};

export const disputeColumns = 'd.dispute_status, d.dispute_due_by, d.dispute_credits';

export function presentDispute(row: DisputeColumns): PersonPayment['dispute'] {
  const { dispute_status: status, dispute_due_by: dueBy, dispute_credits: credits } = row;
  if (status === null) return null;
  const takesAnswer = status === 'needs_response' || status === 'warning_needs_response';
  return {
    state: stateOf(status),
    credits: credits ?? 0,
    dueBy: takesAnswer ? (dueBy?.toISOString() ?? null) : null,
  };
}

function stateOf(status: string): NonNullable<PersonPayment['dispute']>['state'] {
  if (status === 'needs_response') return 'to-answer';
  if (status === 'warning_needs_response') return 'inquiry';
  // an appeal is decided by the bank too
  return status === 'won' || status === 'lost' ? status : 'under-review';
}

/** Whether the bank has the money: the provider refuses to refund it a second time (refunds/refundable-sql.ts has the same rule). */
export const keepsMoney = (dispute: PersonPayment['dispute']): boolean =>
  dispute !== null && dispute.state !== 'won' && dispute.state !== 'inquiry';
