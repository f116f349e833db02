import { changeOffer, getAdminOffer, listAdminOffers, previewMove } from '@souk/contract/admin/offers.ts';
import { z } from 'zod';
import { offersEditedHere, type Billing } from '#features/billing/index.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import { operatorName, reasonOfCommand } from './command-reason.ts';

const idSchema = z.object({ id: z.string().max(100) });
const changeSchema = idSchema.extend({
  type: z.enum(['archive', 'restore', 'take-file']),
  preview: z.boolean().default(false),
  reason: reasonOfCommand,
  operator: operatorName,
});

// the answers of `souk offers …`, as --json prints them

export const offersListedSchema = listAdminOffers.answer.omit({ success: true }).extend({
  /** The ids of offers that offers.json no longer changes. */
  editedHere: z.array(z.string()),
});
export const offerShownSchema = getAdminOffer.answer.omit({ success: true });
export const offerChangedSchema = changeOffer.answer.omit({ success: true });
export const movePreviewedSchema = previewMove.answer.shape.preview;

/**
 * `souk offers …`, with the use cases of the administrators' screen.
 * @param parts.billing.payments undefined if nothing is sold, or no broker runs
 */
export function offerCommands({
  billing: { offerEditing, payments },
  db,
}: {
  billing: Pick<Billing, 'offerEditing'> & { payments: Pick<NonNullable<Billing['payments']>, 'moves'> | undefined };
  db: { query: Query };
}): OperatorCommands {
  return {
    'offers.list': async (): Promise<z.output<typeof offersListedSchema>> => ({
      ...(await offerEditing.list()),
      editedHere: (await offersEditedHere(db.query)).map(({ offerId }) => offerId),
    }),
    'offers.show': (args): Promise<z.output<typeof offerShownSchema>> => offerEditing.show(idSchema.parse(args).id),
    'offers.change': (args): Promise<z.output<typeof offerChangedSchema>> => {
      const { id, type, preview, operator, reason } = changeSchema.parse(args);
      // without a revision, since the command applies to the offer as it is
      return offerEditing.change(id, { change: { type }, revision: undefined }, { operator, reason }, preview);
    },
    'offers.preview-move': async (args): Promise<z.output<typeof movePreviewedSchema>> => {
      const { id } = idSchema.parse(args);
      if (!payments)
        throw new SoukError('unavailable', {
          message: 'Nothing is sold here, or Souk does not run: start it with PAYMENTS other than off.',
        });
      return payments.moves.preview(id);
    },
  };
}
