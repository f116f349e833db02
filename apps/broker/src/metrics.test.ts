import { expect, test } from 'vitest';
import type { UsageRow } from '#features/billing/index.ts';
import type { CatalogueServer, CatalogueSnapshot } from '#features/catalogue/index.ts';
import { createMetrics } from './metrics.ts';

/** Builds a catalogue of these servers, as far as the figures need it. */
function snapshotOf(...ids: string[]): CatalogueSnapshot {
  const servers = ids.map((id) => ({ id, status: 'connected' }) as CatalogueServer);
  return { servers, byId: new Map(servers.map((server) => [server.id, server])) } as unknown as CatalogueSnapshot;
}

const callOf = (serverId: string): UsageRow => ({
  callId: 'call',
  userId: 'canary-user',
  serverId,
  kind: 'tool',
  name: 'canary-tool',
  outcome: 'ok',
  reason: undefined,
  credits: 0,
  durationMs: 7,
  clientId: 'canary-client',
  tokenId: 'canary-token',
  atMs: 0,
});

test('labels are deployed servers: a server that was never deployed has none, and an undeployed one loses it', async () => {
  let snapshot = snapshotOf('notes', 'travel');
  let databaseUp = 1;
  const pool = {
    circuitOf: () => 'closed' as const,
    figures: () => ({ connections: 1, callsInFlight: 2, callsWaiting: 3 }),
    stdioPids: () => [1, 2],
  };
  const metrics = await createMetrics({
    catalogue: { snapshot: () => snapshot },
    // only these are read
    pool: pool as unknown as Parameters<typeof createMetrics>[0]['pool'],
    programWatch: { figures: () => ({ folder: 1, memory: 2, processes: 0, files: 0, disk: 3 }) },
    db: { connections: () => ({ used: 4, idle: 5, waiting: 6 }) },
    usageWaiting: () => 7,
    refusals: () => ({ mcp: 16, api: 17, webhook: 18 }),
    backupTakenAt: async () => {
      if (databaseUp === 0) throw new Error('away');
      return undefined;
    },
    clock: { now: () => 0 },
    readSystem: async () => ({
      databaseUp,
      diskFreeBytes: 8,
      ledgerDifferences: 9,
      notices: { waiting: 13, failing: 14, givenUp: 15 },
      events: { waiting: 10, failing: 11, lastAtSeconds: 12 },
    }),
  });
  metrics.note([callOf('notes'), callOf('notes'), callOf('travel'), callOf('never')]);
  // the call continues: it is counted when it has ended
  metrics.note([{ ...callOf('notes'), outcome: 'refused', reason: 'input_required' }]);
  const before = await metrics.render();
  for (const line of [
    'souk_calls_total{server="notes",outcome="ok"} 2',
    'souk_calls_total{server="none",outcome="ok"} 1',
    'souk_call_duration_seconds_bucket{le="0.01",server="notes"} 2',
    'souk_call_duration_seconds_bucket{le="0.005",server="notes"} 0',
    'souk_breakers{state="closed"} 2',
    'souk_calls_waiting 3',
    'souk_programs 2',
    'souk_programs_limited_total{limit="folder"} 1',
    'souk_requests_refused_total{door="mcp"} 16',
    'souk_requests_refused_total{door="api"} 17',
    'souk_requests_refused_total{door="webhook"} 18',
    'souk_database_connections{state="waiting"} 6',
    'souk_usage_rows_waiting 7',
    'souk_database_up 1',
    'souk_backup_age_seconds +Inf',
    'souk_disk_free_bytes 8',
    'souk_ledger_differences 9',
    'souk_payment_events{state="waiting"} 10',
    'souk_payment_events{state="failing"} 11',
    'souk_notices{state="failing"} 14',
    'souk_notices{state="given-up"} 15',
    'souk_payment_last_event_timestamp_seconds 12',
  ]) {
    expect(before.split('\n')).toContain(line);
  }
  expect(before).not.toContain('outcome="refused"');
  expect(before).not.toContain('never');
  expect(before).not.toContain('canary');
  snapshot = snapshotOf('travel');
  const after = await metrics.render();
  expect(after).not.toContain('notes');
  expect(after.split('\n')).toContain('souk_calls_total{server="travel",outcome="ok"} 1');
  // a database that is down affects no other figure; Prometheus reads NaN in any case
  databaseUp = 0;
  const away = (await metrics.render()).split('\n');
  for (const line of ['souk_database_up 0', 'souk_backup_age_seconds Nan', 'souk_programs 2'])
    expect(away).toContain(line);
});
