import {
  changeOffer,
  createOffer,
  getAdminOffer,
  listAdminOffers,
  moveSubscribers,
  previewMove,
} from '@souk/contract/admin/offers.ts';
import { requireRecentSignIn } from '#features/identity/index.ts';
import type { Clock } from '#platform/clock.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { Moves } from '../moves/create-moves.ts';
import type { OfferEditing } from './create-offer-editing.ts';

/** Mounts the plans and credit packages that administrators edit, and moves of subscribers to another price. */
export function mountOfferRoutes(
  router: Router,
  { offerEditing, moves, clock }: { offerEditing: OfferEditing; moves: Moves | undefined; clock: Clock },
): void {
  const success = { success: true as const };
  function requireMoves(): Moves {
    if (!moves) throw new SoukError('payments_off');
    return moves;
  }

  router.route(listAdminOffers, async () => ({ ...success, ...(await offerEditing.list()) }));
  router.route(getAdminOffer, async ({ params }) => ({ ...success, ...(await offerEditing.show(params.id)) }));
  router.route(createOffer, async ({ caller, body: { offerId, fields, reason, preview } }) => ({
    ...success,
    ...(await offerEditing.create(offerId, fields, { actorId: caller.userId, reason }, preview)),
  }));
  router.route(changeOffer, async ({ caller, params, body: { change, revision, reason, preview } }) => ({
    ...success,
    ...(await offerEditing.change(params.id, { change, revision }, { actorId: caller.userId, reason }, preview)),
  }));
  router.route(previewMove, async ({ params }) => ({ ...success, preview: await requireMoves().preview(params.id) }));
  router.route(moveSubscribers, async ({ caller, params, body: { shown, reason } }) => {
    requireRecentSignIn(caller, clock);
    const id = await requireMoves().begin(params.id, shown, { actorId: caller.userId, reason });
    const { moves: newest } = await offerEditing.show(params.id);
    const move = newest.find((one) => one.id === id);
    if (!move) throw new SoukError('unexpected');
    return { ...success, move };
  });
}
