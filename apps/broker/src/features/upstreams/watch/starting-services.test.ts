import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectPatiently, createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startTestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { servicesWithHeldCalendar } from './testing/held-calendar.ts';

describe.skipIf(!hasPostgres())('a broker that starts while another one runs', () => {
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
    const held = servicesWithHeldCalendar();
    held.hold();
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
