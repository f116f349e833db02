import type { Query } from '#platform/db/database.ts';
import { readStoredOffers } from './offer-rows.ts';

/** An offer that offers.json no longer changes. `editedBy`: a user id; undefined: a command. */
export type EditedOffer = {
  kind: 'plan' | 'package';
  offerId: string;
  name: string;
  editedAt: Date;
  editedBy: string | undefined;
  /** Whether offers.json has it too. */
  isInFile: boolean;
};

/** Reads the offers that an administrator has edited, so that offers.json no longer changes them. */
export async function offersEditedHere(query: Query): Promise<EditedOffer[]> {
  const offers = await readStoredOffers(query);
  return offers.flatMap(({ kind, offerId, fields, editedAt, editedBy, fileVersion }) =>
    editedAt ? [{ kind, offerId, name: fields.name, editedAt, editedBy, isInFile: fileVersion !== undefined }] : [],
  );
}
