import { randomUUID } from 'node:crypto';
import type { AdminOffer, getAdminOffer, listAdminOffers, OfferChange } from '@souk/contract/admin/offers.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import type { DecidedBy } from '#platform/audit/decided-by.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import { listMoves } from '../moves/move-store.ts';
import { presentMove } from '../moves/present-move.ts';
import type { Prices } from '../prices/create-prices.ts';
import { changeOffer, type ChangedOffer } from './change-offer.ts';
import type { WantedChange } from './wanted-offer.ts';
import { countByPrice, isCurrent } from './offer-counts.ts';
import { readHistory } from './offer-history.ts';
import { findStoredOffer, readStoredOffers, type StoredOffer } from './offer-rows.ts';
import { presentOffer, termsOf } from './present-offer.ts';

const channel = 'billing_offers';

type Result = { effects: string[]; offer: AdminOffer | null };

/** Offers, as administrators and the operator's commands see and change them. */
export type OfferEditing = {
  list(): Promise<Omit<Answer<typeof listAdminOffers>, 'success'>>;
  /** @throws SoukError not_found */
  show(offerId: string): Promise<Omit<Answer<typeof getAdminOffer>, 'success'>>;
  /** @throws SoukError invalid_request, changed_since_shown (change-offer.ts) */
  create(offerId: string, fields: OfferFields, by: DecidedBy, isPreview: boolean): Promise<Result>;
  /** @param revision that the change is based on; undefined: any. @throws as `create`, and not_found */
  change(
    offerId: string,
    wanted: { change: OfferChange; revision: number | undefined },
    by: DecidedBy,
    isPreview: boolean,
  ): Promise<Result>;
  stop(): Promise<void>;
};

export type EditingParts = {
  db: Pick<Database, 'query' | 'transaction' | 'listen' | 'notify'>;
  livemode: boolean;
  isSelling: boolean;
  currency: string | undefined;
  prices: Pick<Prices, 'isOffered'>;
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Called on every broker after a change.
   * @param isOtherTier the tier of a plan, and so the access that it gives, may have changed
   */
  changed(isOtherTier: boolean): void;
  clock: Clock;
  log: Pick<Log, 'warn'>;
};

export async function createOfferEditing(parts: EditingParts): Promise<OfferEditing> {
  const { db, livemode, isSelling, prices, emailsOf, clock, log } = parts;
  const ourselves = randomUUID();
  const stopListening = await db.listen(
    channel,
    (payload) => {
      const [origin, what] = payload.split(' ');
      // after a lost connection the notice is empty, and anything may have changed
      if (origin !== ourselves) parts.changed(what !== 'same-tiers');
    },
    () => parts.changed(true),
  );

  /** Updates this broker first, so that the next request sees the change, however slow the notice is. */
  async function announce({ before, after }: ChangedOffer): Promise<void> {
    const tierOf = (offer: StoredOffer | undefined) => (offer?.fields.kind === 'plan' ? offer.fields.tier : undefined);
    const isOtherTier = before !== undefined && tierOf(before) !== tierOf(after);
    parts.changed(isOtherTier);
    await db.notify(channel, `${ourselves} ${isOtherTier ? 'tiers' : 'same-tiers'}`).catch((error: unknown) => {
      log.warn({ err: error }, 'a change of the offers was not announced to the other brokers');
    });
  }

  async function present(offers: readonly StoredOffer[]): Promise<AdminOffer[]> {
    const [groups, emails] = await Promise.all([
      countByPrice(db.query, livemode),
      emailsOf([...new Set(offers.flatMap(({ editedBy }) => editedBy ?? []))]),
    ]);
    return offers.map((offer) => presentOffer(offer, { groups, emails, isKnown: prices.isOffered, isSelling }));
  }

  async function decide(wanted: WantedChange, by: DecidedBy, isPreview: boolean): Promise<Result> {
    const done = await changeOffer(parts, wanted, by, isPreview);
    if (!isPreview) await announce(done);
    const shown = isPreview ? done.before : await findStoredOffer(db.query, wanted.offerId);
    const [offer = null] = shown ? await present([shown]) : [];
    return { effects: done.effects, offer };
  }

  return {
    async list() {
      const offers = await present(await readStoredOffers(db.query));
      return { offers, currency: parts.currency ?? null, isSelling };
    },
    async show(offerId) {
      const stored = await findStoredOffer(db.query, offerId);
      if (!stored) throw new SoukError('not_found', { message: `There is no offer ${offerId}` });
      const [[offer], groups, moves, history] = await Promise.all([
        present([stored]),
        stored.kind === 'plan' ? countByPrice(db.query, livemode, offerId) : [],
        listMoves(db.query, { livemode, planId: offerId, nowMs: clock.now() }),
        readHistory(db.query, offerId, emailsOf),
      ]);
      if (!offer) throw new SoukError('not_found');
      const emails = await emailsOf(moves.flatMap(({ startedBy }) => startedBy ?? []));
      return {
        offer,
        fileFields: stored.fileVersion?.fields ?? null,
        prices: groups.map(({ planId: _planId, ...group }) => ({
          ...group,
          isCurrent: isCurrent(group, termsOf(stored.fields)),
        })),
        moves: moves.map((move) => presentMove(move, emails)),
        history,
      };
    },
    create: (offerId, fields, by, isPreview) => decide({ type: 'create', offerId, fields }, by, isPreview),
    change: (offerId, wanted, by, isPreview) => decide({ type: 'change', offerId, ...wanted }, by, isPreview),
    stop: stopListening,
  };
}
