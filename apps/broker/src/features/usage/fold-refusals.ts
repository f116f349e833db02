import type { UsageRow } from '#features/billing/index.ts';

const minuteMs = 60_000;
/** Tokens whose refusals are counted at a time. Beyond that, the token that was refused first gets a new row. */
const maxTokens = 10_000;

/** A row for several calls. `count` grows until its minute is over. */
type Counted = { row: UsageRow & { count: number }; written: number };

export function isRefusedForRate({ outcome, reason }: Pick<UsageRow, 'outcome' | 'reason'>): boolean {
  return reason === 'rate_limited' && outcome === 'refused';
}

/**
 * Folds refusals for rate into one row per minute and token, with a count: a client that repeats its call forever must not
 * fill the log. It is the row of the minute's first refusal, and is written again when its count has grown.
 */
export function foldRefusals() {
  const byToken = new Map<string, Counted>();
  /** Rows of past minutes whose counts are not written yet. */
  let ended: Counted[] = [];

  function end(tokenId: string, counted: Counted): void {
    byToken.delete(tokenId);
    if (counted.row.count > counted.written) ended.push(counted);
  }

  return {
    /** Counts a refusal for rate. @returns the row to write now; undefined if only a count has grown */
    add(row: UsageRow): UsageRow | undefined {
      const known = byToken.get(row.tokenId);
      if (known && minuteOf(known.row) === minuteOf(row)) {
        known.row.count++;
        return undefined;
      }
      if (known) end(row.tokenId, known);
      const [oldest] = byToken.size >= maxTokens ? byToken : [];
      if (oldest) end(...oldest);
      byToken.set(row.tokenId, { row: { ...row, count: 1 }, written: 1 });
      return row;
    },
    /** The rows whose counts have grown since they were last written, and by how many. */
    takeGrown(): { row: UsageRow; more: number }[] {
      const grown = [...ended, ...[...byToken.values()].filter(({ row, written }) => row.count > written)];
      ended = [];
      return grown.map((counted) => {
        const more = counted.row.count - counted.written;
        counted.written = counted.row.count;
        // a copy: the count may grow while the row waits for the database
        return { row: { ...counted.row }, more };
      });
    },
  };
}

function minuteOf({ atMs }: UsageRow): number {
  return Math.floor(atMs / minuteMs);
}
