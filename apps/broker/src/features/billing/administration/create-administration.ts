import type { DecidedBy } from '#platform/audit/decided-by.ts';
import type { listPersonLedger, PersonPayment } from '@souk/contract/admin/person.ts';
import type { NumberedPlace, Place } from '@souk/contract/times.ts';
import type { UserBilling } from '@souk/contract/admin/billing.ts';
import type { listServerOwners, listServerRenters } from '@souk/contract/admin/servers.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import type { DirectoryUser } from '#features/identity/index.ts';
import { SoukError } from '#platform/errors.ts';
import { readOwnedServers } from '../entitlement/read-owned-servers.ts';
import { LedgerConflict } from '../credits/accounts/change-credits.ts';
import { lockUser, noSuchUser, type AdministrationParts } from './administration-parts.ts';
import { endPaid, type EndingAccess } from './end-paid.ts';
import { giveAccess, type WantedAccess } from './give-access.ts';
import { listOwners } from './list-owners.ts';
import { listRenters } from './list-renters.ts';
import { readLedger } from './read-ledger.ts';
import { readPayments } from './read-payments.ts';
import { presentUserBilling } from './present-user-billing.ts';
import { readNextCharges } from '../shop/subscriptions/reading/read-next-charges.ts';
import { readRefundable } from './read-refundable.ts';
import { previewOfRefund, refundOnePayment, type PaymentRefund, type RefundPreview } from './refund-one-payment.ts';
import { createRefundedRentals, type RefundedRentals } from './refunded-rentals.ts';
import { removeAccess, type Removal } from './remove-access.ts';

/**
 * Use cases of administrators, and of the operator by commands, on users' credits, plans and servers. Each change writes its
 * audit row in its transaction.
 */
export type Administration = {
  /** @throws SoukError not_found */
  show(userId: string): Promise<{ user: DirectoryUser; billing: UserBilling }>;
  /** Reads a page of a user's ledger, and their balance by source. @throws SoukError not_found */
  ledger(
    userId: string,
    page: Page<NumberedPlace> & { show: 'all' | 'changes' },
  ): Promise<Omit<Answer<typeof listPersonLedger>, 'success'>>;
  /** Reads a page of a user's payments, or one payment with its refunds. @throws SoukError not_found */
  paymentsOf(
    userId: string,
    page: Page & { payment?: string | undefined },
  ): Promise<{ payments: PersonPayment[]; nextCursor: string | null }>;
  /** @throws SoukError not_found, payments_off, refund_impossible, refund_too_high */
  previewRefund(of: { userId: string; paymentId: string }, amountCents: number): Promise<RefundPreview>;
  /** @throws SoukError as previewRefund, and changed_since_shown where more was refunded than `refundedCents` */
  refund(
    of: { userId: string; paymentId: string },
    wanted: { amountCents: number; refundedCents: number | undefined },
    by: DecidedBy,
  ): Promise<PaymentRefund>;
  /** @returns by how much the balance changed. @throws SoukError not_found, changed_since_shown, credits_held */
  setCredits(
    userId: string,
    wanted: { credits: number; expectedBalance?: number | undefined },
    by: DecidedBy,
  ): Promise<number>;
  /** @throws SoukError not_found, plan_not_found, free_plan, has_access */
  give(userId: string, wanted: WantedAccess, by: DecidedBy): Promise<{ id: string; endsAt: Date | undefined }>;
  /** @throws SoukError not_found, payments_off */
  remove(userId: string, id: string, by: DecidedBy & { refund: 'none' | 'prorata' }): Promise<Removal>;
  /** Ends a user's plans and rentals with their paid period, or now, without a refund. */
  endPaid(userId: string, when: { now: boolean }, by: DecidedBy): Promise<EndingAccess[]>;
  readonly refundedRentals: RefundedRentals;
  owners(serverId: string, page: number): Promise<Omit<Answer<typeof listServerOwners>, 'success'>>;
  renters(serverId: string, page: number): Promise<Pick<Answer<typeof listServerRenters>, 'renters' | 'pagination'>>;
};

type Page<Cursor = Place> = { limit: number; cursor?: Cursor | undefined };

export function createAdministration(parts: AdministrationParts): Administration {
  const { db, livemode, access, ledger, catalogue, directory, clock, uuid } = parts;

  async function find(userId: string): Promise<DirectoryUser> {
    const user = await directory.find(userId);
    if (!user) throw noSuchUser();
    return user;
  }

  return {
    async show(userId) {
      const user = await find(userId);
      const nowMs = clock.now();
      const [owned, credits, refundOf, { chargeOf }] = await Promise.all([
        access.read(user.id),
        ledger.account(user.id),
        readRefundable(db.query, { userId: user.id, livemode, nowMs }),
        readNextCharges(db.query, { userId: user.id, livemode, nowMs }),
      ]);
      const factsOf = await readOwnedServers(catalogue, owned, nowMs);
      const nameOf = (serverId: string) => factsOf(serverId).name;
      return { user, billing: presentUserBilling(owned, credits, { refundOf, chargeOf, nameOf }, nowMs) };
    },
    async ledger(userId, page) {
      const user = await find(userId);
      const [account, read] = await Promise.all([
        ledger.account(user.id),
        readLedger(db.query, { userId: user.id, livemode }, page),
      ]);
      const { balance, held, debt, parts: lots } = account;
      const of = (source: (typeof lots)[number]['source']) =>
        lots.filter((lot) => lot.source === source).reduce((sum, { credits }) => sum + credits, 0);
      const bySource = { plan: of('plan'), purchased: of('purchased'), promotional: of('promotional') };
      return { credits: { balance, ...bySource, held, debt }, ...read };
    },
    async paymentsOf(userId, { payment: ofPayment, ...page }) {
      const user = await find(userId);
      const { payments, nextCursor } = await readPayments(db.query, { userId: user.id, livemode, ofPayment }, page);
      return { payments: payments.map(({ payment }) => payment), nextCursor };
    },
    async previewRefund({ userId, paymentId }, amountCents) {
      const user = await find(userId);
      return previewOfRefund(parts, { userId: user.id, paymentId }, amountCents);
    },
    async refund({ userId, paymentId }, wanted, by) {
      const user = await find(userId);
      return refundOnePayment(parts, { userId: user.id, paymentId }, wanted, by);
    },
    async setCredits(userId, wanted, { reason, ...by }) {
      const user = await find(userId);
      const change = { ...wanted, userId: user.id, reason, idem: `adjustment:${uuid()}` };
      try {
        return await ledger.setBalance(change, by, (query) => lockUser(parts, query, user.id));
      } catch (error) {
        if (!(error instanceof LedgerConflict) || error.code === 'key_used') throw error;
        throw new SoukError(error.code, { message: error.message });
      }
    },
    give: (userId, wanted, by) => giveAccess(parts, userId, wanted, by),
    remove: (userId, id, by) => removeAccess(parts, userId, id, by),
    endPaid: (userId, when, by) => endPaid(parts, userId, when, by),
    refundedRentals: createRefundedRentals(parts),
    owners: (serverId, page) => listOwners(db.query, { livemode, nowMs: clock.now(), serverId, page }),
    renters: (serverId, page) => listRenters(db.query, { livemode, nowMs: clock.now(), serverId, page }),
  };
}
