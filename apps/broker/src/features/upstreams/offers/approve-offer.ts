import type { Catalogue } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OfferStore } from './offer-store.ts';

/**
 * Makes what a server offers to one person what the shop shows of it. An administrator decides that, usually about their
 * own account: nothing of a person's gets there by itself.
 * @param of whose account; `name` is for the audit log
 * @returns the names of the tools that the shop shows now
 * @throws SoukError not_found when nothing was discovered with this person's account
 */
export async function approveOffer(
  serverId: string,
  of: { userId: string; name: string },
  decision: { by: string | undefined; reason: string },
  { store, catalogue }: { store: OfferStore; catalogue: Pick<Catalogue, 'approveOffer'> },
): Promise<string[]> {
  const list = await store.list(of.userId, serverId);
  if (!list) {
    throw new SoukError('not_found', {
      message: `Nothing is known of what ${serverId} offers to ${of.name}. Sign in to it with this account first.`,
    });
  }
  await catalogue.approveOffer(serverId, list, { ...decision, source: `account of ${of.name}` });
  return list.items.flatMap(({ kind, name }) => (kind === 'tool' ? [name] : []));
}
