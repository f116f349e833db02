import type { MovePreview } from '@souk/contract/admin/offers.ts';
import type { DecidedBy } from '#platform/audit/decided-by.ts';
import { createBackground } from '#platform/work/background.ts';
import type { ShopParts } from '../shop-parts.ts';
import { beginMove } from './begin-move.ts';
import { readPriceId, readTarget, requireSame } from './move-target.ts';
import { previewMove } from './preview-move.ts';
import { processMoves } from './process-moves.ts';

export type Moves = {
  /** @throws SoukError not_found, invalid_request for an offer that is not a paid plan */
  preview(planId: string): Promise<MovePreview>;
  /** Stores a move, and processes it in the background. @throws SoukError changed_since_shown, payments_unavailable */
  begin(
    planId: string,
    shown: { movable: number; amount: number; monthlyCredits: number },
    by: DecidedBy,
  ): Promise<string>;
  /** Processes due moves that no other broker works on. @throws SoukError payments_unavailable: the next run continues */
  processDue(): Promise<void>;
  stop(): Promise<void>;
};

export function createMoves(
  parts: Pick<ShopParts, 'db' | 'provider' | 'sync' | 'locks' | 'uuid' | 'clock' | 'log'>,
): Moves {
  const { db, provider, clock, log } = parts;
  const { livemode } = provider;
  const background = createBackground(log);
  let isStopped = false;
  let running: Promise<void> | undefined;
  const worker = { ...parts, worker: parts.uuid(), isStopped: () => isStopped };

  function runOnce(): Promise<void> {
    running ??= processMoves(worker).finally(() => (running = undefined));
    return running;
  }

  return {
    preview: async (planId) => previewMove(db.query, livemode, await readTarget(db.query, planId), clock.now()),
    async begin(planId, shown, by) {
      const target = await readTarget(db.query, planId);
      const priceId = await readPriceId(db.query, livemode, target);
      const id = parts.uuid();
      await db.transaction((query) =>
        beginMove(query, {
          id,
          livemode,
          shown,
          nowMs: clock.now(),
          by,
          async find(within) {
            const now = await readTarget(within, planId);
            requireSame(target, now);
            return { ...now, priceId };
          },
        }),
      );
      background.add(runOnce(), 'subscribers could not be moved to another price yet; this will be retried');
      return id;
    },
    async processDue() {
      await running?.catch(() => {});
      await runOnce();
    },
    async stop() {
      isStopped = true;
      await background.flush();
      await running?.catch(() => {});
    },
  };
}
