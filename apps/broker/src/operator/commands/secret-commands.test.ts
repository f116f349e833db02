import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '#operator/cli/run-cli.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { connectPatiently, createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { startDemandingServer, type DemandingServer } from '#testing/servers/demanding-server.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { secretCommands } from './secret-commands.ts';

/** `souk secret …` with two brokers on one database, and with none: set, changed, removed. */
describe.skipIf(!hasPostgres())('secrets by command', { shuffle: false }, () => {
  const masterKey = randomBytes(32).toString('base64url');
  let server: DemandingServer;
  let next: DemandingServer;
  let replicas: Replicas;
  let operator: OperatorServer;
  let databaseUrl: string;
  let empty: string;
  let token: string;

  beforeAll(async () => {
    server = await startDemandingServer('x-key', { accept: ['canary-one', 'canary-two', 'canary-three'] });
    next = await startDemandingServer('x-key', { accept: ['canary-one'] });
    databaseUrl = await createPostgresDatabase();
    empty = await mkdtemp(join(temporaryRoot(), 'no-broker-'));
    const connect = () => connectPatiently(databaseUrl);
    const env = { ...withoutHealthChecks, MASTER_KEY: masterKey, UPSTREAM_HEADER_MOVED__X_KEY: 'canary-one' };
    replicas = await startReplicas(connect, { allowAddresses: [server.address, next.address], env });
    const [first, second] = replicas.apps;
    const auth = { type: 'headers', headers: [{ name: 'X-Key', from: 'operator' }] };
    await deployManifest(first, { id: 'keyed', connection: { type: 'http', url: server.url }, auth }, 'error');
    await waitUntil('the other broker knows it', () => second.catalogue.snapshot().byId.has('keyed'));
    ({ token } = await first.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
    operator = await createOperatorServer({
      dataDir: first.dataDir,
      commands: secretCommands(first.upstreams.secrets),
      log: createLog('silent'),
    });
  });
  afterAll(async () => {
    await operator?.stop();
    await replicas?.stop();
    await server?.close();
    await next?.close();
    await rm(empty, { recursive: true, force: true });
  });

  async function secret(argv: string[], { stdin = '', dataDir = replicas.apps[0].dataDir } = {}) {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const environment = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, MASTER_KEY: masterKey };
    const cli = { environment, stdout: print, stderr: print, stdin: async () => Buffer.from(stdin) };
    return { code: await runCli(['secret', ...argv], cli), printed: lines.join('\n') };
  }

  async function callAt(broker: 0 | 1, name = 'keyed__echo'): Promise<string> {
    const { headers, body } = modernRequest(token, 'tools/call', { name, arguments: { text: 'hi' } });
    const answer = await postRaw(`${replicas.publicUrl}/mcp`, body, { ...headers, ...replicas.at(broker) });
    return JSON.stringify(answer.body);
  }

  test('one broker is notified, and both send the new value, also one that was set while no broker ran', async () => {
    expect(await secret(['list', 'keyed'])).toEqual({ code: 0, printed: `X-Key  missing  for ${server.url}` });
    const told = `X-Key of keyed is set, only for ${server.url}`;
    expect(await secret(['set', 'keyed', 'x-key'], { stdin: 'canary-one\n' })).toEqual({ code: 0, printed: told });
    expect((await secret(['list', 'keyed'])).printed).toMatch(/^X-Key {2}set 20.+ by a command {2}for http/);
    for (const [at, value] of ['canary-two', 'canary-three'].entries()) {
      const given = await secret(['set', 'keyed', 'X-Key'], { stdin: value, ...(at === 1 && { dataDir: empty }) });
      expect(given).toMatchObject({ code: 0, printed: expect.stringContaining(told) });
      for (const broker of [0, 1] as const) {
        await waitUntil(`broker ${broker} sends ${value}`, async () => {
          const answer = await callAt(broker);
          return answer.includes('"hi"') && server.sent.at(-1) === value;
        });
      }
    }
    for (const app of replicas.apps) expect(app.logged()).not.toContain('canary');
  });

  test('a secret that cannot be set is refused with a reason, and no value is repeated', async () => {
    expect(await secret(['set', 'keyed', 'X-Key'], { stdin: 'canary\nof two lines' })).toEqual({
      code: 1,
      printed: 'The broker refused: The value of X-Key must be one line of plain characters.',
    });
    expect((await secret(['set', 'keyed', 'X-Other'], { stdin: 'x' })).printed).toBe(
      'The broker refused: keyed does not ask for X-Other. It asks for: X-Key.',
    );
    expect(await secret(['set', 'keyed', 'X-Key', 'canary-in-argv'])).toMatchObject({ code: 64 });
    expect((await secret(['list', 'nothing'])).printed).toBe('The broker refused: There is no manifest of nothing.');
  });

  test('headers of the environment are sent to a changed address only after the operator allows it, on both brokers', async () => {
    const [first, second] = replicas.apps;
    const auth = { type: 'headers', headers: [{ name: 'X-Key', from: 'operator' }] };
    const at = (url: string, version: string) => ({ id: 'moved', version, connection: { type: 'http', url }, auth });
    await deployManifest(first, at(server.url, '1.0.0'));
    await deployManifest(first, at(next.url, '2.0.0'), 'error');
    expect(await secret(['list', 'moved'])).toEqual({
      code: 0,
      printed: `X-Key  missing (UPSTREAM_HEADER_MOVED__X_KEY is only sent to ${server.url}: see secret bind)  for ${next.url}`,
    });
    expect(next.sent).toEqual([]);
    expect(await secret(['bind', 'moved', '--version', '1.0.0'])).toEqual({
      code: 1,
      printed: 'The broker refused: moved 1.0.0 needs no header value from you.',
    });
    expect(await secret(['bind', 'moved'])).toEqual({
      code: 0,
      printed: `The headers of moved in the environment are now sent only to ${next.url}\nThey are no longer sent to ${server.url}`,
    });
    for (const broker of [0, 1] as const) {
      await waitUntil(`broker ${broker} sends it there`, async () =>
        (await callAt(broker, 'moved__echo')).includes('"hi"'),
      );
    }
    expect(next.sent).toContain('canary-one');
    expect((await secret(['list', 'moved'])).printed).toBe(
      `X-Key  set by UPSTREAM_HEADER_MOVED__X_KEY  for ${next.url}`,
    );
    const { rows } = await second.db.query<{ place: string; operator: string }>(
      `select details ->> 'place' as place, details ->> 'operator' as operator from audit_log where action = 'secret.bound'`,
    );
    expect(rows).toEqual([{ place: next.url, operator: userInfo().username }]);
  });

  test('a removal reaches both brokers', async () => {
    expect(await secret(['remove', 'keyed', 'X-Key'])).toEqual({
      code: 0,
      printed: `X-Key of keyed is removed, for ${server.url}`,
    });
    for (const broker of [0, 1] as const)
      await waitUntil(`broker ${broker} sends nothing`, async () => (await callAt(broker)).includes('"isError":true'));
    expect((await secret(['remove', 'keyed', 'X-Key'])).printed).toBe('The broker refused: keyed has no secret X-Key.');
  });
});
