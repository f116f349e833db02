import { adminOverviewEndpoints } from '@souk/contract/admin/overview.ts';
import { createClient } from '@souk/contract/client.ts';
import { expect, test } from 'vitest';
import { createServerCertificates } from '#features/upstreams/certificates/server-certificates.ts';
import { systemClock } from '#platform/clock.ts';
import type { ResolveName } from '#platform/http/outgoing/name-lookups.ts';
import { createLog } from '#platform/log.ts';
import { startTlsFront, trustTestCertificate } from '#testing/network/connect-proxy.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startMailServer } from '#testing/servers/mail-server.ts';
import { startHttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

const dayMs = 24 * 60 * 60_000;
const toHere: ResolveName = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);

test("a server's certificate is stored when it changes, and administrators are notified once 14 days, once 3 days before its end, and once when it has expired", async () => {
  const distrust = trustTestCertificate();
  const [mail, fixture] = [await startMailServer(), await startHttpFixture('both')];
  const front = await startTlsFront(Number(new URL(fixture.url).port));
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  const app = await startTestApp({
    clock,
    resolve: toHere,
    allowAddresses: [`client.example:${front.port}`, fixture.address],
    env: { ...withoutHealthChecks, SMTP_URL: mail.url },
  });
  const row = async () => {
    const { rows } = await app.db.query<{ valid_until: Date; issuer: string; seen_at: Date }>(
      `select valid_until, issuer, seen_at from server_certificates where server_id = 'top'`,
    );
    return rows[0];
  };
  const needs = async () => {
    const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'admin@souk.test' });
    const baseUrl = app.publicUrl;
    const api = createClient(adminOverviewEndpoints, { baseUrl, fetch, token: async () => accessToken });
    return (await api.getAdminNeeds()).needs.endingCertificates;
  };
  /** Returns the subjects of all mails sent so far. */
  const told = async () => {
    await app.checkAlerts();
    await app.checkAlerts();
    await app.notices.sendDue();
    const about = mail.received.filter(({ source }) => source.includes('certificate of Summit'));
    return about.map(({ source }) => /^Subject: .*(expires|expired) on/m.exec(source)?.[1]);
  };
  try {
    await app.db.query(
      `update pgboss.job set start_after = now() + interval '1 year' where name in ('notices', 'alerts')`,
    );
    const connection = { type: 'http', url: `https://client.example:${front.port}/mcp` };
    await deployManifest(app, { id: 'top', name: 'Summit', connection });
    await waitUntil('it is stored', async () => (await row()) !== undefined);
    const first = await row();
    expect(first).toMatchObject({ issuer: 'client.example', valid_until: new Date('2126-10-28T02:21:45Z') });
    expect([await needs(), await told()]).toEqual([{ total: 0, items: [] }, []]);

    const validUntil = new Date(Date.now() + 15 * dayMs);
    await app.db.query('update server_certificates set valid_until = $1', [validUntil]);
    expect(await told(), '15 days before').toEqual([]);
    ahead = 2 * dayMs;
    expect(await told(), '13 days before').toEqual(['expires']);
    const item = { serverId: 'top', name: 'Summit', issuer: 'client.example', validUntil: validUntil.toISOString() };
    expect(await needs()).toEqual({ total: 1, items: [{ ...item, hasExpired: false }] });
    ahead = 4 * dayMs;
    expect(await told(), '11 days before').toEqual(['expires']);
    ahead = 12.5 * dayMs;
    expect(await told(), '2 days before').toEqual(['expires', 'expires']);
    ahead = 15.5 * dayMs;
    expect(await told()).toEqual(['expires', 'expires', 'expired']);
    expect(await needs()).toEqual({ total: 1, items: [{ ...item, hasExpired: true }] });

    // the version deployed now has no certificate
    await deployManifest(app, {
      id: 'top',
      name: 'Summit',
      version: '2.0.0',
      connection: { ...connection, url: fixture.url },
    });
    expect((await needs()).total, 'without TLS').toBe(0);
    await deployManifest(app, { id: 'top', name: 'Summit', version: '3.0.0', connection });
    expect((await needs()).total).toBe(1);

    // another connection with the same certificate
    await app.upstreams.pool.dropAll('top');
    app.upstreams.watch.refresh(['top'], true);
    expect(await app.upstreams.watch.asked('top')).toBeUndefined();
    expect(await row(), 'not written again').toEqual({ ...first, valid_until: validUntil });
    // another broker connects after the renewal
    const other = createServerCertificates({ query: app.db.query, clock: systemClock, log: createLog('silent') });
    const renewed = { protocol: 'TLSv1.3', issuer: 'An authority', validUntil: 'Nov 27 00:00:00 2100 GMT' };
    other.watchOf('top').secured(renewed);
    other.watchOf('unknown').secured(renewed);
    await other.stop();
    expect([await needs(), await told()]).toEqual([{ total: 0, items: [] }, ['expires', 'expires', 'expired']]);
    expect((await row())?.issuer).toBe('An authority');
  } finally {
    await app.stop();
    await front.close();
    await fixture.close();
    await mail.stop();
    distrust();
  }
});
