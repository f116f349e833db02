import { randomBytes } from 'node:crypto';
import { createApp } from '../../apps/broker/src/app.ts';
import { checkSystem } from '../../apps/broker/src/operator/cli/checks/system-checks.ts';
import type { App } from '../../apps/broker/src/app-types.ts';
import { buildWeb } from '../../apps/broker/src/web-app/build-web.ts';
import { paths } from '../../apps/broker/src/paths.ts';
import { readConfig } from '../../apps/broker/src/platform/config.ts';
import type { Database } from '../../apps/broker/src/platform/db/database.ts';
import { createLog } from '../../apps/broker/src/platform/log.ts';
import { freePort } from '../../apps/broker/src/testing/network/free-port.ts';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';
import type { Shop } from './costliest-requests.ts';
import { seedGiant, seedPerson, seedRenters } from './fill-shop.ts';
import { run } from './seeding.ts';
import { downAddress, seedManifests, seedTools, seedUsers } from './seed-administration.ts';

export type ShopSize = {
  users: number;
  manifests: number;
  tools: number;
  calls: number;
  payments: number;
  giantToolBytes: number;
};
export type OpenShop = { app: App; shop: Shop & { tokens: Record<'person' | 'admin', string> } };

/** Starts the whole product without rate limits on a database with much of everything. The caller stops the app. */
export async function openShop(db: Database, dataDir: string, size: ShopSize): Promise<OpenShop> {
  await seedManifests(db, size.manifests);
  await seedTools(db, size.tools);
  await seedGiant(db, size.giantToolBytes);
  const environment = {
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    MASTER_KEY: randomBytes(32).toString('base64url'),
    BUNDLED_CATALOGUE: 'off',
    // the servers are down, so only the start contacts them
    HEALTH_INTERVAL_MS: '600000',
    LOG_LEVEL: 'fatal',
    SIGN_IN_PER_MINUTE: '100000',
    API_REQUESTS_PER_MINUTE_USER: '100000000',
    API_REQUESTS_PER_MINUTE_ADDRESS: '100000000',
  };
  const config = readConfig(environment);
  const app = await createApp({
    config,
    log: createLog('fatal', process.stderr),
    db,
    paths,
    webFolder: await buildWeb(),
    allowAddresses: [downAddress],
    systemChecks: () => checkSystem(config, environment),
  });
  await app.start();
  await app.serversAsked;
  const { publicUrl } = config;
  const email = 'busy@souk.test';
  const person = await new ScriptedBrowser(publicUrl).signInWeb({ email });
  const admin = await new ScriptedBrowser(publicUrl).signInWeb({ email: 'admin@souk.test' });
  const { clientId } = await new ScriptedBrowser(publicUrl).signInMcpClient({ email });
  const { token } = await app.identity.createPersonalToken({ email, name: 'bench' });
  const found = await db.query<{ id: string }>('select id from users where email = $1', [email]);
  const personId = found.rows[0]?.id ?? '';
  await seedUsers(db, size.users);
  await seedPerson(db, personId, size);
  await seedRenters(db, Math.ceil(size.users / 2));
  await run(db, 'analyze');
  const others = await db.query<{ id: string }>(
    `select id from users where email like '%@bench.test' and is_active order by id limit 40`,
  );
  const users = others.rows.map(({ id }) => id);
  const tokens = { person: person.accessToken, admin: admin.accessToken };
  return { app, shop: { publicUrl, personId, personalToken: token, clientId, users, tokens } };
}
