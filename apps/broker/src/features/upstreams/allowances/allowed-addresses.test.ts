import { networkInterfaces } from 'node:os';
import { adminAllowanceEndpoints } from '@souk/contract/admin/allowances.ts';
import { createClient, type Client } from '@souk/contract/client.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isOfPrivateNetwork } from '#platform/http/outgoing/limited-entry.ts';
import { connectPatiently, createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { startDemandingServer, type DemandingServer } from '#testing/servers/demanding-server.ts';
import { freePort } from '#testing/network/free-port.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { manifestText, testingAdministrator } from '../connection-test/testing/testing-administrator.ts';

/** Address of this machine in a private network, where a test's real servers listen. */
const own = Object.values(networkInterfaces())
  .flatMap((found) => found ?? [])
  .map(({ address }) => address)
  .find(isOfPrivateNetwork);

describe.skipIf(!hasPostgres() || own === undefined)(
  'private addresses that administrators allow, on two brokers',
  { shuffle: false },
  () => {
    let server: DemandingServer;
    let replicas: Replicas;
    let api: Client<typeof adminAllowanceEndpoints>;
    let admin: Awaited<ReturnType<typeof testingAdministrator>>;
    let token: string;
    let databasePort: string;
    const ahead = { ms: 0 };
    /** Current addresses of names. */
    const names = new Map<string, string>();
    let operators: string;

    beforeAll(async () => {
      server = await startDemandingServer('x-key', { host: own, accept: ['key'] });
      operators = `127.0.0.1:${await freePort()}`;
      const databaseUrl = await createPostgresDatabase();
      databasePort = new URL(databaseUrl).port || '5432';
      const connect = () => connectPatiently(databaseUrl);
      const env = {
        ...withoutHealthChecks,
        ADMIN_MAY_ALLOW: 'addresses',
        UPSTREAM_ALLOW_ADDRESSES: operators,
        DATABASE_URL: databaseUrl,
        UPSTREAM_HEADER_INSIDE__X_KEY: 'key',
        UPSTREAM_HEADER_NAMED__X_KEY: 'key',
      };
      replicas = await startReplicas(connect, {
        env,
        clock: { now: () => Date.now() + ahead.ms },
        resolve(name, _options, callback) {
          const address = names.get(name);
          if (address !== undefined) return callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
          callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), []);
        },
      });
      admin = await testingAdministrator(replicas.publicUrl);
      const { publicUrl: baseUrl } = replicas;
      api = createClient(adminAllowanceEndpoints, { baseUrl, fetch, token: async () => admin.accessToken });
      ({ token } = await replicas.apps[0].identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
    });
    afterAll(async () => {
      await replicas?.stop();
      await server?.close();
    });

    const add = (entry: string, note = '') => api.addAllowedAddress({ body: { entry, note } });
    const remove = (entry: string) => api.removeAllowedAddress({ body: { entry } });
    const auth = { type: 'headers', headers: [{ name: 'X-Key', from: 'operator' }] };
    const manifest = (url: string) => manifestText({ id: 'inside', connection: { type: 'http', url }, auth });

    async function post(path: string, body: unknown, more = {}): Promise<{ status: number; text: string }> {
      const answer = await fetch(`${replicas.publicUrl}${path}`, {
        method: 'POST',
        headers: { ...admin.headers, ...more },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    }

    async function callAt(broker: 0 | 1): Promise<string> {
      const { headers, body } = modernRequest(token, 'tools/call', { name: 'inside__echo', arguments: { text: 'hi' } });
      const answer = await postRaw(`${replicas.publicUrl}/mcp`, body, { ...headers, ...replicas.at(broker) });
      return JSON.stringify(answer.body);
    }

    test('a server at a private address is refused, and works on both brokers once its address is allowed', async () => {
      const { status, text } = await post('/admin/manifests', manifest(server.url));
      expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining('url_not_allowed') });
      const added = await add(server.address.toUpperCase(), 'the warehouse');
      expect(added.addresses).toMatchObject({
        mayAdd: true,
        ofOperator: [operators],
        added: [
          {
            entry: server.address,
            addresses: [],
            note: 'the warehouse',
            added: { by: 'admin@souk.test' },
            servers: [],
          },
        ],
      });
      await expect(add(server.address)).rejects.toMatchObject({ message: `${server.address} is allowed already.` });
      for (const app of replicas.apps)
        await waitUntil('each broker knows it', () => app.allowances.addresses().length === 1);
      expect((await post('/admin/manifests', manifest(server.url))).status).toBe(200);
      expect((await post('/admin/manifests/inside/deploy', {})).status).toBe(200);
      for (const broker of [0, 1] as const)
        await waitUntil(`broker ${broker} calls it`, async () => (await callAt(broker)).includes('"hi"'));
      expect((await api.listAllowances()).addresses.added).toMatchObject([{ servers: ['inside'] }]);
      const tested = await admin.test({ serverId: 'inside' });
      expect(tested.step('address')?.text).toBe(`allowed by ${server.address}, which an administrator added`);
    });

    test('a removal closes the connections of both brokers, with their calls', async () => {
      const held = server.hold('tools/call');
      const underWay = callAt(0);
      const goOn = await held;
      await remove(server.address);
      expect(await underWay).toContain('"isError":true');
      goOn();
      for (const app of replicas.apps)
        await waitUntil('each broker knows it', () => app.allowances.addresses().length === 0);
      const before = server.sent.length;
      for (const broker of [0, 1] as const)
        await waitUntil(`broker ${broker} refuses it`, async () => (await callAt(broker)).includes('"isError":true'));
      expect(server.sent.length).toBe(before);
      await expect(remove(server.address)).rejects.toMatchObject({ status: 404 });
    });

    test('a name allows the addresses that it had when it was added, and none that it gets later', async () => {
      const { port } = new URL(server.url);
      names.set('tools.test', own ?? '');
      const { addresses } = await add(`tools.test:${port}`);
      expect(addresses.added).toMatchObject([{ entry: `tools.test:${port}`, addresses: [own] }]);
      // the operator's header is sent to a stored address
      const url = `http://tools.test:${port}/mcp`;
      const named = manifestText({ id: 'named', connection: { type: 'http', url }, auth });
      expect((await post('/admin/manifests', named)).status).toBe(200);
      const test = () => admin.test({ manifest: named });
      expect((await test()).end).toMatchObject({ result: 'passed' });
      const others = ['10.9.9.9', '169.254.169.254', '127.0.0.1', '::ffff:10.9.9.9', 'fd00:ec2::254'];
      for (const address of others) {
        names.set('tools.test', address);
        expect((await test()).end?.text, address).toContain(`is not a public address (${address})`);
      }
      await remove(`tools.test:${port}`);
    });

    test('addresses of a hostile administrator are refused with a reason', async () => {
      names.set('changing.test', '169.254.169.254');
      names.set('public.test', '93.184.215.14');
      const ofOperator = 'only the operator can allow it';
      for (const [entry, words] of [
        ['0.0.0.0/0', 'must have a prefix from 1 to 32'],
        ['10.0.0.0/8:8080', 'only the operator can allow a larger one'],
        ['10.0.0.0/24', 'needs a port'],
        ['[fd00::/8]:8080', 'only the operator can allow a larger one'],
        ['169.254.169.0/24:80', ofOperator],
        ['169.254.169.254:80', ofOperator],
        ['[fd00:ec2::254]:80', ofOperator],
        ['100.100.100.200:80', ofOperator],
        ['127.0.0.1:8080', ofOperator],
        ['2130706433:8080', ofOperator],
        ['0x7f.1:8080', ofOperator],
        ['[::1]:8080', ofOperator],
        ['[::ffff:10.0.0.5]:8080', ofOperator],
        ['[64:ff9b::a00:5]:8080', ofOperator],
        ['0.0.0.0:8080', ofOperator],
        ['224.0.0.1:8080', ofOperator],
        ['changing.test:80', ofOperator],
        ['nowhere.test:80', 'cannot be resolved here'],
        ['public.test:80', 'is public'],
        ['8.8.8.8:80', 'is public'],
        [`10.0.0.5:${databasePort}`, 'used by Souk'],
        [`10.0.0.0/24:${databasePort}`, 'used by Souk'],
        ['10.0.0.5', 'has no port'],
        ['10.0.0.5:0', 'has no port'],
        ['user@10.0.0.5:80', 'is not a host and port'],
      ] as const) {
        await expect(add(entry), entry).rejects.toMatchObject({ status: 400, message: expect.stringContaining(words) });
      }
      const [port] = replicas.apps[0].server.addresses().flatMap((at) => (typeof at === 'object' ? at.port : []));
      const ownPort = `${server.address.slice(0, server.address.lastIndexOf(':'))}:${port}`;
      const ofItself = await post('/admin/allowances/addresses', { entry: ownPort }, replicas.at(0));
      expect(ofItself).toMatchObject({ status: 400, text: expect.stringContaining('used by Souk') });
      expect((await api.listAllowances()).addresses.added).toEqual([]);
    });

    test('a network allows its addresses at its port, without cloud metadata addresses', async () => {
      await add('100.100.100.0/24:8081');
      const endOf = async (address: string) =>
        (await admin.test({ manifest: manifest(`http://${address}/mcp`) })).end?.text ?? '';
      for (const address of ['100.100.100.200:8081', '100.100.100.7:8082', '100.100.101.7:8081'])
        expect(await endOf(address), address).toContain('must be a public address');
      expect(replicas.apps[0].policy.addressProblem(new URL('http://100.100.100.7:8081/mcp'))).toBeUndefined();
      await remove('100.100.100.0/24:8081');
    });

    test('each change requires a recent sign-in, and is in the audit log', async () => {
      ahead.ms = 16 * 60_000;
      try {
        await expect(add('10.0.0.5:80')).rejects.toMatchObject({ code: 'sign_in_again' });
        await expect(remove('10.0.0.5:80')).rejects.toMatchObject({ code: 'sign_in_again' });
      } finally {
        ahead.ms = 0;
      }
      const { rows } = await replicas.apps[0].db.query(
        `select action, subject, details ->> 'note' as note from audit_log where subject = $1 order by id`,
        [server.address],
      );
      expect(rows).toEqual([
        { action: 'address.allowed', subject: server.address, note: 'the warehouse' },
        { action: 'address.removed', subject: server.address, note: null },
      ]);
    });
  },
);
