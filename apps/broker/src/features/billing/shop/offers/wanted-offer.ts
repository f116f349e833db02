import type { OfferChange } from '@souk/contract/admin/offers.ts';
import { freePlanId, maxOffersPerKind, type OfferFields } from '@souk/contract/billing/offer-fields.ts';
import { actorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import { SoukError } from '#platform/errors.ts';
import type { StoredOffer } from './offer-rows.ts';

export type WantedChange =
  | { type: 'create'; offerId: string; fields: OfferFields }
  | { type: 'change'; offerId: string; change: OfferChange; revision: number | undefined };

export class StaleOffer extends Error {
  readonly offer: StoredOffer;
  constructor(offer: StoredOffer) {
    super();
    this.offer = offer;
  }
}

/** Returns the offer as it will be after a change. @throws StaleOffer, SoukError invalid_request, not_found */
export function wantedOffer(
  wanted: WantedChange,
  stored: readonly StoredOffer[],
  by: DecidedBy,
  at: Date,
): StoredOffer {
  const before = stored.find((one) => one.offerId === wanted.offerId);
  return wanted.type === 'create' ? addition(wanted, before, stored, by, at) : changed(wanted, before, stored, by, at);
}

function addition(
  { offerId, fields }: Extract<WantedChange, { type: 'create' }>,
  before: StoredOffer | undefined,
  stored: readonly StoredOffer[],
  by: DecidedBy,
  at: Date,
): StoredOffer {
  if (before)
    throw invalid(
      'offerId',
      before.active
        ? 'is the id of another offer'
        : 'is the id of an archived offer: bring that back, or choose another id',
    );
  if (stored.filter(({ kind }) => kind === fields.kind).length >= maxOffersPerKind)
    throw invalid('offerId', `cannot be added: there are ${maxOffersPerKind} of its kind already`);
  // the specification's current-plan rule would mistake such a plan for a package (part 1, section 2)
  if (fields.kind === 'plan' && offerId.includes('credit'))
    throw invalid('offerId', 'must not contain credit: such ids are those of packages');
  const others = stored.filter((one) => one.kind === fields.kind && one.active);
  return {
    kind: fields.kind,
    offerId,
    fields: withoutPlace(fields),
    active: true,
    position: positionAt(others, fields.place ?? others.length + 1),
    revision: 1,
    editedAt: at,
    editedBy: actorOf(by),
    fileVersion: undefined,
  };
}

function changed(
  { offerId, change, revision }: Extract<WantedChange, { type: 'change' }>,
  before: StoredOffer | undefined,
  stored: readonly StoredOffer[],
  by: DecidedBy,
  at: Date,
): StoredOffer {
  if (!before) throw new SoukError('not_found', { message: `There is no offer ${offerId}` });
  if (revision !== undefined && revision !== before.revision) throw new StaleOffer(before);
  const edited = {
    ...before,
    revision: before.revision + 1,
    editedAt: at,
    editedBy: actorOf(by),
  };
  switch (change.type) {
    case 'edit': {
      const { fields } = change;
      if (fields.kind !== before.kind) throw invalid('kind', `must be ${before.kind}`);
      const others = stored.filter((one) => one.kind === before.kind && one.active && one.offerId !== offerId);
      const place = others.filter(({ position }) => position < before.position).length + 1;
      const stays = fields.place === undefined || fields.place === place || !before.active;
      return {
        ...edited,
        fields: withoutPlace(fields),
        position: stays ? before.position : positionAt(others, fields.place ?? place),
      };
    }
    case 'archive':
      if (offerId === freePlanId)
        throw new SoukError('invalid_request', {
          message: 'The Free plan cannot be archived: users without a paid plan have it.',
        });
      if (!before.active)
        throw new SoukError('invalid_request', { message: `${before.fields.name} is archived already.` });
      return { ...edited, active: false };
    case 'restore':
      if (before.active) throw new SoukError('invalid_request', { message: `${before.fields.name} is not archived.` });
      return { ...edited, active: true };
    case 'take-file': {
      const { fileVersion } = before;
      if (!fileVersion)
        throw new SoukError('invalid_request', { message: `offers.json has no ${before.fields.name}.` });
      const { fields, position } = fileVersion;
      return {
        ...edited,
        fields: { ...fields, popular: before.fields.popular },
        position,
        active: true,
        editedAt: undefined,
        editedBy: undefined,
      };
    }
  }
}

/**
 * Returns a position between the neighbors, so that no other offer changes.
 * @param others in their order, without the offer to be placed
 */
function positionAt(others: readonly StoredOffer[], place: number): number {
  const [previous, next] = [others[place - 2], others[place - 1]];
  if (previous && next) return (previous.position + next.position) / 2;
  if (next) return next.position - 1;
  return (others.at(-1)?.position ?? 0) + 1;
}

const invalid = (path: string, message: string) =>
  new SoukError('invalid_request', { message: `${path}: ${message}`, issues: [{ path, message }] });

const withoutPlace = ({ place: _place, ...fields }: OfferFields): OfferFields => fields;
