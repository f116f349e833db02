import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { createUsageWriter } from '../usage-writer.ts';
import { createRecentUse } from './recent-use.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const log = createLog('silent');

describeOnDatabases('which servers people use', migrations, (open) => {
  test('is known of calls here at once and of those of another broker, for a day', async () => {
    const db = await open();
    const beganMs = Date.UTC(2026, 10, 21, 12);
    let nowMs = beganMs;
    const writer = createUsageWriter({ query: db.query, log });
    writer.record({
      callId: randomUUID(),
      userId: randomUUID(),
      serverId: 'elsewhere',
      kind: 'tool',
      name: 'look',
      outcome: 'ok',
      reason: undefined,
      credits: 0,
      durationMs: 12,
      clientId: 'client',
      tokenId: 'grant',
      atMs: nowMs,
    });
    await writer.stop();
    const use = createRecentUse({ query: db.query, clock: { now: () => nowMs }, log });
    await waitUntil('the use at the other broker to be read', () => use.has('elsewhere'));
    use.note([{ serverId: 'here' }, { serverId: undefined }]);
    expect(['here', 'elsewhere', 'nowhere'].map(use.has)).toEqual([true, true, false]);
    nowMs += dayMs - 1;
    expect(use.has('here')).toBe(true);
    nowMs += 1;
    expect(use.has('here')).toBe(false);
    // days are sums: the day before yesterday is over, at the next hourly reading
    nowMs += dayMs;
    await waitUntil('the use at the other broker to be forgotten', () => {
      nowMs += hourMs;
      return !use.has('elsewhere');
    });
    expect(nowMs - beganMs).toBeLessThan(4 * dayMs);
  });
});
