import type { Revocations } from '../revocations.ts';

/** Tells every replica that all that a person was signed in with has ended, and that their running calls must end. */
export type AnnounceEnds = (userId: string, tokenIds: readonly string[]) => Promise<void>;

export function createAnnounceEnds(revocations: Pick<Revocations, 'announce' | 'announcePerson'>): AnnounceEnds {
  return async (userId, tokenIds) => {
    // first, so that no call ends as if its client had hung up, which may cost credits
    await revocations.announcePerson(userId, 'shut out');
    await Promise.all(tokenIds.map((tokenId) => revocations.announce(tokenId)));
  };
}
