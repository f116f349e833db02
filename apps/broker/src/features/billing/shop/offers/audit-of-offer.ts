import type { AuditEntry } from '#platform/audit/audit-log.ts';
import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { StoredOffer } from './offer-rows.ts';
import { differences } from './offer-words.ts';
import type { WantedChange } from './wanted-offer.ts';

export const subjectOf = (offerId: string): string => `offer:${offerId}`;

const actions = {
  edit: 'offer.changed',
  archive: 'offer.archived',
  restore: 'offer.restored',
  'take-file': 'offer.file-taken',
} as const;

/** Returns the audit rows of a change, including those of offers that lose the mark "Most Popular" to this one. */
export function auditOf(
  wanted: WantedChange,
  before: StoredOffer | undefined,
  after: StoredOffer,
  losing: readonly StoredOffer[],
  by: DecidedBy,
): AuditEntry[] {
  const actorId = actorOf(by);
  const { kind, offerId, fields } = after;
  const entry = (id: string, action: AuditEntry['action'], details: object, reason?: string) => ({
    actorId,
    action,
    subject: subjectOf(id),
    ...(reason !== undefined && { reason }),
    details: { kind, ...operatorOf(by), ...details },
  });
  const change = before
    ? {
        ...differences(before.fields, fields),
        ...(before.position !== after.position && { moved: true }),
        currency: { from: before.fields.currency, to: fields.currency },
      }
    : { after: fields, currency: { from: fields.currency, to: fields.currency } };
  const action = wanted.type === 'create' ? 'offer.created' : actions[wanted.change.type];
  return [
    entry(offerId, action, change, by.reason),
    ...losing.map((one) =>
      entry(one.offerId, 'offer.changed', {
        before: { popular: true },
        after: { popular: false },
        because: offerId,
        currency: { from: fields.currency, to: fields.currency },
      }),
    ),
  ];
}
