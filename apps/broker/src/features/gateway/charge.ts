import type { CatalogueItem } from '#features/catalogue/index.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Outcome } from './record-call.ts';

/** What was put aside for one call before it went out. */
export type Hold = { credits: number };

const noCharge: Hold = { credits: 0 };

/** The place before dispatch where a paid call's price is put aside. Until there is billing nothing costs anything. */
export function holdCredits(_caller: Caller, _tool: CatalogueItem): Hold | Promise<Hold> {
  return noCharge;
}

/** The place after dispatch: charges a call that succeeded, gives everything back otherwise. @returns credits charged */
export function settle(hold: Hold, _outcome: Outcome): number {
  return hold.credits;
}
