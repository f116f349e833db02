import { getRelatedServers } from '@souk/contract/catalogue/related-servers.ts';
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { createUsageWriter } from '../usage-writer.ts';

const beganMs = Date.UTC(2026, 10, 21, 12);
const dayMs = 86_400_000;
const log = createLog('silent');

describeOnDatabases('related services of a service', migrations, (open) => {
  let app: TestApp;
  let nowMs = beganMs;
  afterEach(() => app?.stop());

  /** @param used the servers that each of some new users calls */
  async function call(people: number, used: readonly string[], outcome: 'ok' | 'failed' = 'ok'): Promise<void> {
    const writer = createUsageWriter({ query: app.db.query, log });
    for (let person = 0; person < people; person += 1) {
      const userId = randomUUID();
      for (const serverId of used) {
        writer.record({
          callId: randomUUID(),
          userId,
          serverId,
          kind: 'tool',
          name: 'look',
          outcome,
          reason: undefined,
          credits: 0,
          durationMs: 12,
          clientId: 'client',
          tokenId: 'grant',
          atMs: nowMs,
        });
      }
    }
    await writer.stop();
  }

  const ask = (id: string) => fetch(`${app.publicUrl}/api/catalogue/servers/${id}/related`);
  async function related(id: string): Promise<string[]> {
    const { servers } = getRelatedServers.answer.parse(await (await ask(id)).json());
    return servers.map(({ serverId, usedTogether }) => (usedTogether ? `${serverId} used` : serverId));
  }
  const untilRelated = (id: string, expected: readonly string[]) =>
    waitUntil(`${expected.join()} related to ${id}`, async () => {
      // figures are cached for an hour
      nowMs += 61 * 60_000;
      return (await related(id)).join() === expected.join();
    });

  test("services that at least five users used with it come first, the closest first, then those of its category in home's order", async () => {
    nowMs = beganMs;
    app = await startTestApp({
      db: await open(),
      clock: { now: () => nowMs, monotonic: () => nowMs },
      env: withoutHealthChecks,
    });
    const connection = { type: 'http', url: 'https://nowhere.example/mcp' };
    const deploy = (id: string, more: object = {}) => deployManifest(app, { id, connection, ...more }, 'unasked');
    const elsewhere = { category: 'productivity' };
    await deploy('page');
    for (const id of ['alpha', 'beta', 'gamma']) await deploy(id, id === 'gamma' ? { featured: 1 } : {});
    for (const id of ['common', 'near', 'rare', 'failing']) await deploy(id, elsewhere);

    // as on the first day: nothing was used
    expect(await related('page')).toEqual(['gamma', 'alpha', 'beta']);

    await call(5, ['page', 'near', 'common']);
    await call(30, ['common', 'alpha']);
    // four users are too few to be shown, and a failed call does not count
    await call(4, ['page', 'rare']);
    await call(9, ['page', 'failing'], 'failed');
    await untilRelated('page', ['near used', 'common used', 'gamma', 'alpha']);
    await untilRelated('rare', ['common', 'near', 'failing']);

    // a fifth user
    await call(1, ['rare', 'page', 'gone']);
    await untilRelated('page', ['near used', 'rare used', 'common used', 'gamma']);
    expect((await ask('nowhere')).status).toBe(404);

    // a month later only use since then counts
    nowMs += 31 * dayMs;
    await untilRelated('page', ['gamma', 'alpha', 'beta']);
  });
});
