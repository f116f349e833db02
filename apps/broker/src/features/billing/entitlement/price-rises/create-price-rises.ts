import { creditsAt, type Catalogue, type CatalogueServer, type ToolPrice } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { addApprovals, readApproved, readFirstAccess, type FirstAccess, type PricedTool } from './approval-store.ts';
import { createApprovedUntil } from './approved-until.ts';
import { firstAccessMs } from './first-access.ts';

/** A tool's price that is higher than what a user has agreed to. */
export type PriceRise = {
  serverId: string;
  /** The server's own name of the tool. */
  tool: string;
  /** The highest price that this user has agreed to. */
  oldCredits: number;
  newCredits: number;
  raisedAtMs: number;
};

type Tool = { name: string; price: ToolPrice };

/**
 * Asks users before their calls cost more. A user agrees to the price that was in force when they first had a server, and to
 * those that they approved; never to more.
 */
export type PriceRises = {
  /** The rise that the user has to approve before they may call this tool. Nearly always from memory, without a promise. */
  unapproved(
    userId: string,
    server: CatalogueServer,
    tool: Tool,
  ): PriceRise | undefined | Promise<PriceRise | undefined>;
  /** The same for several tools, the newest rise first; servers that are not deployed are left out. */
  list(userId: string, tools: readonly Omit<PricedTool, 'credits'>[]): Promise<PriceRise[]>;
  /** Stores that the user agrees to these prices, which they were shown. */
  approve(userId: string, prices: readonly PricedTool[], via: 'form' | 'page'): Promise<void>;
  /** @throws SoukError tool_price_changed where one of these is not the current price of its tool */
  requireCurrent(prices: readonly PricedTool[]): void;
};

/** @param isCharging false: every call is free, and no user is asked */
export function createPriceRises(parts: {
  db: Pick<Database, 'query'>;
  livemode: boolean;
  isCharging: boolean;
  catalogue: Pick<Catalogue, 'snapshot'>;
  /** When the account was created; undefined: there is none, or its user may not sign in. */
  accountSince(userId: string): Promise<Date | undefined>;
  clock: Clock;
}): PriceRises {
  const { livemode, isCharging, catalogue, clock } = parts;
  const { query } = parts.db;
  const approvedUntil = createApprovedUntil();

  type Known = { sinceMs: number; access: FirstAccess; approved(serverId: string, tool: string): number };

  async function readKnown(userId: string, only: Partial<Omit<PricedTool, 'credits'>> = {}): Promise<Known> {
    const userIds = [userId];
    const [since, accessOf, approvedOf] = await Promise.all([
      parts.accountSince(userId),
      readFirstAccess(query, { userIds, livemode }),
      readApproved(query, { userIds, livemode, ...only }),
    ]);
    const approved = (serverId: string, tool: string) => approvedOf(userId, serverId, tool);
    return { sinceMs: since?.getTime() ?? 0, access: accessOf(userId), approved };
  }

  function riseOf(server: CatalogueServer, { name, price }: Tool, known: Known): PriceRise | undefined {
    const { credits, raisedAtMs, steps } = price;
    if (raisedAtMs === undefined) return undefined;
    const first = creditsAt(steps, firstAccessMs(server, known.access, known.sinceMs));
    const oldCredits = Math.max(first, known.approved(server.id, name));
    if (credits <= oldCredits) return undefined;
    return { serverId: server.id, tool: name, oldCredits, newCredits: credits, raisedAtMs };
  }

  async function read(
    userId: string,
    server: CatalogueServer,
    tool: Tool,
    raisedAtMs: number,
  ): Promise<PriceRise | undefined> {
    const known = await readKnown(userId, { serverId: server.id, tool: tool.name });
    const rise = riseOf(server, tool, known);
    // prices only fall until the next rise, so an agreement holds until then
    if (!rise) approvedUntil.set(userId, server.id, tool.name, raisedAtMs);
    return rise;
  }

  return {
    unapproved(userId, server, tool) {
      const { raisedAtMs } = tool.price;
      if (raisedAtMs === undefined || !isCharging) return undefined;
      if (raisedAtMs <= approvedUntil.get(userId, server.id, tool.name)) return undefined;
      return read(userId, server, tool, raisedAtMs);
    },

    async list(userId, tools) {
      if (!isCharging) return [];
      const { byId } = catalogue.snapshot();
      const raised = tools.flatMap(({ serverId, tool: name }) => {
        const server = byId.get(serverId);
        const price = server?.prices.get(name);
        return server && price?.raisedAtMs !== undefined ? [{ server, tool: { name, price } }] : [];
      });
      if (raised.length === 0) return [];
      const known = await readKnown(userId);
      return raised
        .flatMap(({ server, tool }) => riseOf(server, tool, known) ?? [])
        .toSorted((one, other) => other.raisedAtMs - one.raisedAtMs);
    },

    approve: (userId, prices, via) => addApprovals(query, { userId, livemode, via, at: new Date(clock.now()) }, prices),

    requireCurrent(prices) {
      const { byId } = catalogue.snapshot();
      const isCurrent = ({ serverId, tool, credits }: PricedTool) =>
        byId.get(serverId)?.prices.get(tool)?.credits === credits;
      if (!prices.every(isCurrent)) throw new SoukError('tool_price_changed');
    },
  };
}
