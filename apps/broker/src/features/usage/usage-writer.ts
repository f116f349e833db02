import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { arrayLiteral } from './array-literal.ts';

/** A usage row rides in the next batch: at a kill at most this much is lost (security.md, Invariants). */
const flushIntervalMs = 50;
const maxBatch = 256;
/** While the database is away rows wait here; beyond this the oldest are dropped and counted, so memory stays bounded. */
const maxWaiting = 50_000;
const retryDelayMs = 1_000;

export type UsageEvent = {
  callId: string;
  userId: string;
  serverId: string;
  kind: 'tool' | 'prompt' | 'resource';
  /** The server's own name of the tool or prompt, or a resource's address. */
  name: string;
  /** ok; error: the tool itself said isError; failed: no good answer; refused: not dispatched; cancelled by the client. */
  outcome: 'ok' | 'error' | 'failed' | 'refused' | 'cancelled';
  reason: string | undefined;
  credits: number;
  durationMs: number;
  clientId: string;
  tokenId: string;
  atMs: number;
};

export type UsageWriter = {
  /** Takes the row and returns at once. */
  record(event: UsageEvent): void;
  /** Resolves when every row recorded so far is in the database, or has been given up. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

const statement = `
  insert into usage_events
    (call_id, user_id, server_id, kind, name, outcome, reason, credits, duration_ms, client_id, token_id, created_at)
  select * from unnest(
    $1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::int[],
    $10::text[], $11::text[], $12::timestamptz[])
  on conflict do nothing`;

/**
 * Writes usage rows in batches, at each tick what has come in since the last: a statement for what came in while the one
 * before ran would be hundreds a second of few rows each, and a tenth of the time of a busy broker.
 */
export function createUsageWriter({ query, log }: { query: Query; log: Log }): UsageWriter {
  let waiting: UsageEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let stopped = false;

  function schedule(delayMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void write();
    }, delayMs);
  }

  async function write(): Promise<void> {
    if (writing) return writing;
    writing = drain().then((isWritten) => {
      writing = undefined;
      if (waiting.length > 0 && !stopped) schedule(isWritten ? flushIntervalMs : retryDelayMs);
    });
    return writing;
  }

  /** Writes what waits now; what comes in meanwhile is the next tick's. @returns false when the database refused */
  async function drain(): Promise<boolean> {
    for (let left = waiting.length; left > 0; left -= maxBatch) {
      const batch = waiting.splice(0, maxBatch);
      try {
        await query(statement, columns(batch));
      } catch (error) {
        waiting = [...batch, ...waiting];
        log.error({ err: error, waiting: waiting.length }, 'usage rows cannot be written yet');
        return false;
      }
    }
    return true;
  }

  return {
    record(event) {
      waiting.push(event);
      if (waiting.length > maxWaiting) {
        waiting.shift();
        log.error('usage rows are dropped: the database has been away too long');
      }
      // when a writing ends, it sees to what came in meanwhile
      if (!writing) schedule(flushIntervalMs);
    },
    async flush() {
      // a batch that is under way was begun before the newest rows came
      await writing;
      await write();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}

function columns(batch: readonly UsageEvent[]): string[] {
  const column = (value: (event: UsageEvent) => string | number | undefined) => arrayLiteral(batch.map(value));
  return [
    column((event) => event.callId),
    column((event) => event.userId),
    column((event) => event.serverId),
    column((event) => event.kind),
    column((event) => event.name),
    column((event) => event.outcome),
    column((event) => event.reason),
    column((event) => event.credits),
    column((event) => Math.round(event.durationMs)),
    column((event) => event.clientId),
    column((event) => event.tokenId),
    column((event) => new Date(event.atMs).toISOString()),
  ];
}
