import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { migrations } from '../../../../migrations.ts';
import { createIssuerStore } from './issuer-store.ts';

const placeAt = (issuer: string) => ({
  resource: 'https://mcp.example/mcp',
  issuer,
  authorizationEndpoint: `${issuer}/authorize`,
  tokenEndpoint: `${issuer}/token`,
  origins: ['https://keys.example'],
});
const mine = placeAt('https://id.example');
const other = placeAt('https://other.example');

describeOnDatabases('the issuers of servers', migrations, (open) => {
  test('a change is reported once, by any number of brokers; a confirmation forgets what was refused', async () => {
    const db = await open();
    await db.query("insert into servers (id, slug) values ('vault', 'vault')");
    const at = new Date('2026-11-01T12:00:00Z');
    const stores = [1, 2, 3].map(() => createIssuerStore({ db, clock: { now: () => at.getTime() } }));
    const [store = createIssuerStore({ db, clock: { now: () => at.getTime() } })] = stores;
    const find = async () => {
      const { rows } = await db.query<{ place: object | null; at: Date | null }>(
        "select refused_place as place, refused_at as at from upstream_issuers where server_id = 'vault'",
      );
      const [refused] = rows;
      return { confirmed: await store.findConfirmed('vault'), refused: refused?.place ? refused : undefined };
    };
    const noteByAll = (place: typeof mine) => Promise.all(stores.map((one) => one.recordRefused('vault', place)));
    expect((await noteByAll(mine)).filter(Boolean)).toHaveLength(1);
    expect((await noteByAll(mine)).filter(Boolean)).toEqual([]);
    expect((await noteByAll({ ...mine, tokenEndpoint: other.tokenEndpoint })).filter(Boolean)).toHaveLength(1);
    const actorId = randomUUID();
    await store.confirm('vault', mine, { actorId });
    expect(await find()).toEqual({ confirmed: { place: mine, at }, refused: undefined });
    expect(await store.recordRefused('vault', other)).toBe(true);
    expect(await find()).toEqual({ confirmed: { place: mine, at }, refused: { place: other, at } });
    await store.recordAllowed('vault', mine);
    expect(await find()).toEqual({ confirmed: { place: mine, at }, refused: undefined });
    expect(await store.lastEndpoints(['vault', 'unknown'])).toEqual(new Map([['vault', mine.authorizationEndpoint]]));
    const { rows } = await db.query('select action, actor_id from audit_log order by id');
    const refused = { action: 'sign-in.issuer-refused', actor_id: null };
    expect(rows).toEqual([refused, refused, { action: 'sign-in.issuer-confirmed', actor_id: actorId }, refused]);
  });

  test('a server that names another issuer each time gets twenty rows of the audit log a day', async () => {
    const db = await open();
    await db.query("insert into servers (id, slug) values ('vault', 'vault')");
    const store = createIssuerStore({ db, clock: { now: () => Date.UTC(2026, 10, 1, 12) } });
    for (let n = 0; n < 25; n++) await store.recordRefused('vault', { ...mine, issuer: `https://${n}.example` });
    const { rows } = await db.query<{ action: string }>('select action from audit_log order by id');
    expect(rows).toHaveLength(20);
    expect(rows.at(-1)).toEqual({ action: 'audit.limit-reached' });
  });
});
