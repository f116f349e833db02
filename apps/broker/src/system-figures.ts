import { readLedgerCheck, readWebhookFigures } from '#features/billing/index.ts';
import { readNoticeFigures } from '#features/notices/index.ts';
import type { Config } from '#platform/config.ts';
import type { Database } from '#platform/db/database.ts';
import { freeBytesOf } from '#platform/db/embedded/disk-space-guard.ts';

/** Well below the 10 s that Prometheus waits for an answer. */
const longestReadingMs = 3_000;

/** Figures of the database and its contents for the operator's monitoring; NaN if unknown. */
export type SystemFigures = {
  databaseUp: number;
  diskFreeBytes: number;
  ledgerDifferences: number;
  notices: { waiting: number; failing: number; givenUp: number };
  /** Figures of the payment provider's events; undefined if nothing is sold. */
  events: { waiting: number; failing: number; lastAtSeconds: number } | undefined;
};

/** Reads the figures. A database that does not answer in time counts as down. */
export async function readSystemFigures(
  { query }: Pick<Database, 'query'>,
  { dataDir, payments }: Pick<Config, 'dataDir' | 'payments'>,
  withinMs = longestReadingMs,
): Promise<SystemFigures> {
  const diskFreeBytes = freeBytesOf(dataDir);
  const isSelling = payments !== 'off';
  const aWeekAgo = new Date(Date.now() - 7 * 24 * 60 * 60_000);
  const reading = Promise.all([
    readLedgerCheck(query),
    readNoticeFigures(query, aWeekAgo),
    isSelling ? readWebhookFigures(query) : undefined,
  ]);
  const inTime = new Promise<void>((resolve) => void setTimeout(resolve, withinMs).unref());
  const found = await Promise.race([reading.catch(() => undefined), inTime]);
  if (!found) {
    const events = isSelling ? { waiting: NaN, failing: NaN, lastAtSeconds: NaN } : undefined;
    const notices = { waiting: NaN, failing: NaN, givenUp: NaN };
    return { databaseUp: 0, diskFreeBytes, ledgerDifferences: NaN, notices, events };
  }
  const [ledger, notices, webhook] = found;
  return {
    databaseUp: 1,
    diskFreeBytes,
    ledgerDifferences: ledger?.differences ?? NaN,
    notices,
    events: webhook && {
      waiting: webhook.waiting,
      failing: webhook.failing,
      lastAtSeconds: (webhook.lastEventAt?.getTime() ?? NaN) / 1000,
    },
  };
}
