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

describeOnDatabases('servers in use', migrations, (open) => {
  test('are known for a day: calls here immediately, and those of another broker too', async () => {
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
    // figures are daily sums: by the next hourly read, the day before yesterday is over
    nowMs += dayMs;
    await waitUntil('the use at the other broker to be forgotten', () => {
      nowMs += hourMs;
      return !use.has('elsewhere');
    });
    expect(nowMs - beganMs).toBeLessThan(4 * dayMs);
  });
});
