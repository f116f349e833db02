// npm run conformance [-- 2025-11-25|2026-07-28]: runs the official suite against our gateway (server), our upstream side
// (client) and our OAuth server (authorization), and prints a table of the results.
import { join } from 'node:path';
import { deployManifest } from '../apps/broker/src/testing/deploy-manifest.ts';
import { runAuthorizationSuite } from './authorization.ts';
import { startBroker } from './broker.ts';
import { startSignInDriver } from './drive-sign-in.ts';
import { startConformanceFixture } from './fixture.ts';
import { startOpenGateway } from './open-gateway.ts';
import { concludeLegs, type Leg } from './report.ts';
import { runSuite } from './run-suite.ts';
import { signInControl } from './sign-in-control.ts';

const eras = { '2025-11-25': 'legacy', '2026-07-28': 'modern' } as const;
/** Time after which a hanging client is ended. It is long because the suite starts all clients concurrently. */
const clientTimeoutMs = '600000';

const chosen = process.argv.slice(2);
const legs: Leg[] = [];
const fixtures = { legacy: await startConformanceFixture('legacy'), modern: await startConformanceFixture('modern') };
const broker = await startBroker(Object.values(fixtures).map(({ address }) => address));
const gateway = await startOpenGateway(broker);
const driver = await startSignInDriver(broker);
try {
  for (const revision of ['2025-11-25', '2026-07-28'] as const) {
    if (chosen.length > 0 && !chosen.includes(revision)) continue;
    const era = eras[revision];
    await deployManifest(broker.app, { id: era, connection: { type: 'http', url: fixtures[era].url } });
    const server = await runSuite(['server', '--url', gateway.url(era), '--requirements', revision]);
    legs.push({ name: `server ${revision}`, ...server });

    const command = `${process.execPath} ${join(import.meta.dirname, 'client.ts')}`;
    const client = await runSuite(
      ['client', '--command', command, '--requirements', revision, '--timeout', clientTimeoutMs, '--verbose'],
      { [signInControl]: driver.address },
    );
    legs.push({ name: `client ${revision}`, ...client });
  }
  const { exitCode, checks, output } = await runAuthorizationSuite(broker.config.publicUrl);
  const failed = checks.filter(({ status }) => status !== 'SUCCESS');
  legs.push({
    name: 'authorization',
    ok: exitCode === 0 && failed.length === 0,
    scenarios: checks.map(({ id, status }) => ({
      scenario: id,
      passed: status === 'SUCCESS' ? 1 : 0,
      failed: status === 'FAILURE' ? 1 : 0,
      warnings: status === 'WARNING' ? 1 : 0,
      notScored: undefined,
    })),
    output,
  });
} finally {
  await driver.stop();
  await gateway.stop();
  await broker.stop();
  await Promise.all(Object.values(fixtures).map(({ close }) => close()));
}
if (!concludeLegs(legs)) process.exitCode = 1;
