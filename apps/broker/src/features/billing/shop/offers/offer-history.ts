import { moneyText } from '@souk/contract/billing/currencies.ts';
import { shownChanges, type getAdminOffer } from '@souk/contract/admin/offers.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import { z } from 'zod';
import type { Query } from '#platform/db/database.ts';
import { readRows } from '../../read-rows.ts';
import { subjectOf } from './audit-of-offer.ts';
import { counted, sayChanges } from './offer-words.ts';

type History = Answer<typeof getAdminOffer>['history'];

const fields = z.record(z.string(), z.unknown()).catch({});
const changeSchema = z.object({
  before: fields.optional(),
  after: fields.optional(),
  moved: z.boolean().optional(),
  currency: z.object({ from: z.string(), to: z.string() }),
});
const moveSchema = z.object({
  amount: z.int(),
  currency: z.string(),
  subscribers: z.int().optional(),
  moved: z.int().optional(),
  skipped: z.int().optional(),
  failed: z.int().optional(),
});

/** Reads the newest changes of an offer and moves of its subscribers from the audit log. */
export async function readHistory(
  query: Query,
  offerId: string,
  emailsOf: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<History> {
  const rows = await readRows<{
    at: Date;
    actorId: string | undefined;
    action: string;
    reason: string | undefined;
    details: Record<string, unknown>;
  }>(
    query,
    'select at, actor_id as "actorId", action, reason, details from audit_log where subject = $1 order by id desc limit $2',
    [subjectOf(offerId), shownChanges],
  );
  const emails = await emailsOf([...new Set(rows.flatMap((row) => row.actorId ?? []))]);
  return rows.map(({ at, actorId, action, reason = null, details }) => ({
    at: at.toISOString(),
    by: actorId === undefined ? operatorOf(details) : (emails.get(actorId) ?? null),
    action,
    reason,
    changes: say(action, details),
  }));
}

const operatorOf = ({ operator }: Record<string, unknown>) =>
  typeof operator === 'string' ? `${operator}, by command` : null;

function say(action: string, details: Record<string, unknown>): string[] {
  const move = moveSchema.safeParse(details).data;
  if (move && action.startsWith('offer.move')) {
    const to = `to ${moneyText(move.amount, move.currency)}`;
    if (move.subscribers !== undefined) return [`${counted(move.subscribers, 'subscriber')} ${to}`];
    const { moved = 0, skipped = 0, failed = 0 } = move;
    const rest = [
      ...(skipped > 0 ? [`${skipped} left as they were`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
    ];
    return [[`${counted(moved, 'subscriber')} moved ${to}`, ...rest].join(', ')];
  }
  const change = changeSchema.safeParse(details).data;
  if (!change?.before || !change.after) return [];
  return [
    ...sayChanges(change.before, change.after, change.currency),
    ...(change.moved ? ['Moved to another place in the list'] : []),
  ];
}
