import type { LedgerEntry } from '@souk/contract/admin/person.ts';
import { writeNumberedCursor, type NumberedPlace } from '@souk/contract/times.ts';
import type { Query } from '#platform/db/database.ts';

type Account = { userId: string; livemode: boolean };
type Row = Pick<LedgerEntry, 'change' | 'balanceAfter' | 'kind' | 'reason' | 'calls'> & {
  id: number;
  at: Date;
  idem: string;
};

/** Reads a page of a user's ledger, newest first; `changes` leaves out the charges of calls. Index: ledger_entries_by_account. */
export async function readLedger(
  query: Query,
  { userId, livemode }: Account,
  { limit, cursor, show }: { limit: number; cursor?: NumberedPlace | undefined; show: 'all' | 'changes' },
): Promise<{ entries: LedgerEntry[]; nextCursor: string | null }> {
  const { rows } = await query<Row>(
    // a literal condition, so that the partial index of the few entries that are not calls applies
    `select id, at, delta as change, balance_after as "balanceAfter", contra as kind, idem, reason,
       coalesce(cardinality(calls), case when starts_with(idem, 'call:') then 1 else 0 end) as calls
     from ledger_entries where user_id = $1 and livemode = $2 and id < $3 ${show === 'changes' ? `and contra <> 'usage'` : ''}
     order by id desc limit $4`,
    [userId, livemode, cursor?.id ?? Number.MAX_SAFE_INTEGER, limit + 1],
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const paymentOf = await findPayments(query, { userId, livemode }, page);
  return {
    entries: page.map(({ id, at, idem, ...row }) => ({
      ...row,
      id: String(id),
      at: at.toISOString(),
      payment: paymentOf(idem),
    })),
    nextCursor: rows.length > limit && last ? writeNumberedCursor(last) : null,
  };
}

/** Reads the calls that an entry charged, and its time; undefined where the user has no such entry. */
export async function readLedgerCalls(
  query: Query,
  { userId, livemode }: Account,
  entryId: number,
): Promise<{ at: Date; calls: string[] } | undefined> {
  const { rows } = await query<{ at: Date; calls: string[] | null; idem: string }>(
    'select at, calls, idem from ledger_entries where id = $3 and user_id = $1 and livemode = $2',
    [userId, livemode, entryId],
  );
  const [entry] = rows;
  if (!entry) return undefined;
  const alone = entry.idem.startsWith('call:') ? [entry.idem.slice('call:'.length)] : [];
  return { at: entry.at, calls: entry.calls ?? alone };
}

/** Finds the payment behind each entry that granted credits, or that clawed them back after a refund, by the entry's key. */
async function findPayments(query: Query, { userId, livemode }: Account, rows: readonly Row[]) {
  const facts = rows.filter(({ kind }) => kind !== 'usage').map(({ idem }) => factOf(idem));
  if (facts.length === 0) return () => null;
  const invoices = facts.filter((fact) => fact.startsWith('invoice:')).map((fact) => fact.slice('invoice:'.length));
  const { rows: payments } = await query<{ id: string; description: string; idem: string; invoice_id: string | null }>(
    `select id, description, idem, invoice_id from transactions
     where user_id = $1 and livemode = $2 and (idem = any($3::text[]) or (invoice_id = any($4::text[]) and type <> 'refund'))`,
    [userId, livemode, facts, invoices],
  );
  return (idem: string): LedgerEntry['payment'] => {
    const fact = factOf(idem);
    const found = payments.find((one) => one.idem === fact || `invoice:${one.invoice_id}` === fact);
    return found ? { id: found.id, description: found.description } : null;
  };
}

/** The key without the number of a further part: `refund:{id}` for `refund:{id}:1`. */
const factOf = (idem: string): string => idem.split(':').slice(0, 2).join(':');
