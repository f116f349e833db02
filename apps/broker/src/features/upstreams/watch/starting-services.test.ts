import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectPatiently, createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/mcp-clients.ts';
import { startTestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { paths } from '../../../paths.ts';

/** A folder of services whose calendar starts once it is told to. */
function heldCalendar(): { services: string; letGo(): void } {
  const services = mkdtempSync(join(temporaryRoot(), 'held-'));
  const folder = join(services, 'calendar', 'src');
  const go = join(services, 'go');
  mkdirSync(folder, { recursive: true });
  const real = join(paths.services, 'calendar', 'src', 'main.ts');
  const main = `
    import { existsSync } from 'node:fs';
    while (!existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 10));
    await import(${JSON.stringify(real)});`;
  writeFileSync(join(folder, 'main.ts'), main);
  return { services, letGo: () => writeFileSync(go, '') };
}

describe.skipIf(!hasPostgres())('a broker that starts beside another', () => {
  test('a call waits for a service that is still starting', async () => {
    const databaseUrl = await createPostgresDatabase(migrations);
    const env = { MASTER_KEY: randomBytes(32).toString('base64url') };
    const start = async (folders = {}) => {
      const app = await startTestApp({ db: await connectPatiently(databaseUrl), env, paths: folders });
      onTestFinished(() => app.stop());
      return app;
    };
    const first = await start();
    await deployManifest(first, { id: 'calendar', connection: { type: 'websocket', url: 'service:calendar' } });
    const { token } = await first.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    const held = heldCalendar();
    const second = await start({ services: held.services });
    const client = await connectModern(`${second.publicUrl}/mcp`, token);
    onTestFinished(() => client.close());
    const call = client.callTool({ name: 'calendar__list_events', arguments: {} });
    await waitUntil('the call is with the service', () => second.upstreams.pool.inFlight('calendar') === 1);
    expect(second.upstreams.services.address('calendar')).toBeUndefined();
    held.letGo();
    const answer = await call;
    expect(answer.isError, JSON.stringify(answer)).toBeFalsy();
  });
});
