import { getAdminFigures, getAdminNeeds, overviewDays, type Needs } from '@souk/contract/admin/overview.ts';
import type { Answer } from '@souk/contract/endpoint.ts';
import { readBillingFigures, readBillingNeeds } from '#features/billing/index.ts';
import { readCatalogueNeeds, type Catalogue } from '#features/catalogue/index.ts';
import { readEndingCertificates, readSignInsToConfirm } from '#features/upstreams/index.ts';
import { readOverallUse } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import type { Router } from '#platform/http/router.ts';

/** The start page of administrators and the operator. */
export type Overview = {
  /** Returns what waits for a decision. */
  needs(): Promise<Omit<Answer<typeof getAdminNeeds>, 'success'>>;
  /** Returns figures of the shop, from sums by day, without reading single payments, calls or entries. */
  figures(): Promise<Omit<Answer<typeof getAdminFigures>, 'success'>>;
};

const dayMs = 24 * 60 * 60_000;
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export function createOverview(parts: {
  query: Query;
  catalogue: Pick<Catalogue, 'snapshot'>;
  livemode: boolean;
  /** Returns why a server fails, in words for operators. */
  failureOf(serverId: string): string | undefined;
  clock: Clock;
}): Overview {
  const { query, catalogue, livemode, failureOf, clock } = parts;
  const nameOf = (serverId: string) => catalogue.snapshot().byId.get(serverId)?.manifest.name ?? serverId;

  return {
    async needs() {
      const [ofCatalogue, endingCertificates, signInsToConfirm, ofBilling] = await Promise.all([
        readCatalogueNeeds({ query, snapshot: catalogue.snapshot(), failureOf }),
        readEndingCertificates(query, { snapshot: catalogue.snapshot(), nowMs: clock.now() }),
        readSignInsToConfirm(query, catalogue.snapshot()),
        readBillingNeeds(query, { livemode, nowMs: clock.now() }),
      ]);
      const { failedRenewals } = ofBilling;
      const named = failedRenewals.items.map((one) =>
        one.kind === 'rental' ? { ...one, what: nameOf(one.what) } : one,
      );
      const needs: Needs = {
        ...ofCatalogue,
        endingCertificates,
        signInsToConfirm,
        ...ofBilling,
        failedRenewals: { ...failedRenewals, items: named },
      };
      return { waiting: Object.values(needs).reduce((sum, { total }) => sum + total, 0), needs };
    },

    async figures() {
      const nowMs = clock.now();
      const dates = Array.from({ length: overviewDays }, (_, day) => isoDay(nowMs - (overviewDays - 1 - day) * dayMs));
      const [from, to] = [isoDay(nowMs - (overviewDays - 1) * dayMs), isoDay(nowMs)];
      const before = isoDay(nowMs - (2 * overviewDays - 1) * dayMs);
      const [money, use] = await Promise.all([
        readBillingFigures(query, { livemode, from, before }),
        readOverallUse(query, { from, to, before, endedBefore: isoDay(nowMs - overviewDays * dayMs) }),
      ]);
      const { usedByDay, ...credits } = money.credits;
      const named = <One extends { serverId: string }>(one: One) => ({ ...one, name: nameOf(one.serverId) });
      return {
        livemode,
        revenue: money.revenue.map(({ byDay, ...one }) => ({
          ...one,
          byDay: dates.map((date) => byDay.get(date) ?? 0),
        })),
        plans: money.plans,
        rentals: money.rentals,
        credits,
        calls: use.calls,
        errors: use.errors,
        people: use.people,
        days: dates.map((date) => ({
          date,
          ...(use.byDay.get(date) ?? { calls: 0, errors: 0 }),
          creditsUsed: usedByDay.get(date) ?? 0,
          people: use.peopleByDay.get(date) ?? null,
        })),
        slowest: use.slowest.map(named),
        failing: use.failing.map(named),
      };
    },
  };
}

export function mountOverview(router: Router, { overview }: { overview: Overview }): void {
  const success = { success: true as const };
  router.route(getAdminNeeds, async () => ({ ...success, ...(await overview.needs()) }));
  router.route(getAdminFigures, async () => ({ ...success, ...(await overview.figures()) }));
}
