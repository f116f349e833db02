import { adminUserEndpoints } from '@souk/contract/admin/users.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectPatiently, createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { openSession } from '#testing/people/open-session.ts';
import { openStream } from '#testing/people/open-stream.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from './call/testing/ending-server.ts';
import { startRun } from './tool-runs/testing/start-run.ts';

const price = 5;
const brokers = [0, 1] as const;

describe.skipIf(!hasPostgres())('a user who is deactivated while they run everything, on two brokers', () => {
  let replicas: Replicas;
  let ending: EndingServer;
  let admin: ReturnType<typeof adminOf>;
  beforeAll(async () => {
    const databaseUrl = await createPostgresDatabase();
    const connect = () => connectPatiently(databaseUrl);
    ending = await startEndingServer('modern');
    const env = { ...withoutHealthChecks, ADMIN_EMAILS: 'admin@souk.test,chief@souk.test,second@souk.test' };
    replicas = await startReplicas(connect, { allowAddresses: [ending.address], env });
    const [first, second] = replicas.apps;
    const connection = { type: 'http', url: ending.url };
    await deployManifest(first, { id: 'paid', connection, billing: { tier: 'T0', toolCosts: { say: price } } });
    await waitUntil('the other broker to know the service', () =>
      second.catalogue.snapshot().servers.some(({ offersHash }) => offersHash !== undefined),
    );
    const { accessToken } = await new ScriptedBrowser(replicas.publicUrl).signInWeb({ email: 'admin@souk.test' });
    admin = adminOf(accessToken);
  });
  afterAll(async () => {
    await replicas?.stop();
    await ending?.close();
  });

  const link = () => `${replicas.publicUrl}/mcp`;
  const adminOf = (token: string) =>
    createClient(adminUserEndpoints, { baseUrl: replicas.publicUrl, fetch, token: async () => token });

  async function arrive(email: string) {
    const browser = new ScriptedBrowser(replicas.publicUrl);
    const { accessToken: web } = await browser.signInWeb({ email });
    const { accessToken: client } = await browser.signInMcpClient({ email });
    const { token: personal } = await replicas.apps[0].identity.createPersonalToken({ email, name: 'test' });
    const id = await giveCredits(replicas.apps[0], email, 1000);
    return { email, id, web, client, personal };
  }

  /** Sends one request of a client of 2026-07-28, whose response is read as it arrives. */
  function modern(token: string, broker: 0 | 1, method: string, params: Record<string, unknown>) {
    const { headers, body } = modernRequest(token, method, params);
    return openStream(link(), {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', ...headers, ...replicas.at(broker) },
      body,
    });
  }

  async function inSession(token: string, broker: 0 | 1, capabilities: Record<string, unknown>) {
    const session = { ...(await openSession(link(), token, { revision: '2025-11-25', capabilities })) };
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...session };
    const params = { name: 'paid__say', arguments: { end: 'hang' } };
    return {
      own: openStream(link(), { headers: { ...headers, accept: 'text/event-stream', ...replicas.at(broker) } }),
      call: openStream(link(), {
        method: 'POST',
        headers: { ...headers, ...replicas.at(broker) },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
    };
  }

  const hang = { name: 'paid__say', arguments: { end: 'hang' } };

  test('loses calls, prompts, resources, runs, sessions and streams immediately, and pays nothing for them', async () => {
    const [ann, bob] = [await arrive('ann@souk.test'), await arrive('bob@souk.test')];
    const open: Promise<{ isOver(): boolean }>[] = [];
    for (const broker of brokers) {
      open.push(modern(ann.personal, broker, 'tools/call', hang));
      open.push(modern(ann.client, broker, 'tools/call', hang));
      open.push(modern(ann.personal, broker, 'prompts/get', hang));
      open.push(modern(ann.personal, broker, 'resources/read', { uri: 'end://hang' }));
      for (const capabilities of [{}, { roots: {} }]) {
        const { own, call } = await inSession(ann.client, broker, capabilities);
        open.push(own, call);
      }
      open.push(modern(ann.personal, broker, 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    }
    const run = await startRun({ token: ann.web, publicUrl: replicas.publicUrl }, 'paid', 'say', { end: 'hang' });
    let isBobAnswered = false;
    const bobs = modern(bob.personal, 1, 'tools/call', hang).finally(() => (isBobAnswered = true));
    // 6 calls at each broker, the run, and Bob's call
    await waitUntil('every call to arrive at the server', () => ending.hanging === 14);

    const answer = await admin.deactivateUser({ params: { id: ann.id }, body: { reason: 'fraud' } });
    expect(answer).toMatchObject({ result: 'deactivated', ending: [] });

    await waitUntil('her calls to end at the server', () => ending.hanging === 1);
    await run.ended;
    expect(run.events().at(-1)).toMatchObject({ type: 'result', isError: true });
    const streams = await Promise.all(open);
    await waitUntil('her streams to end', () => streams.every((stream) => stream.isOver()));
    const statuses = async (path: string, method: string, tokens: string[]) =>
      Promise.all(
        brokers.flatMap((broker) =>
          tokens.map(async (token) => {
            const headers = { authorization: `Bearer ${token}`, ...replicas.at(broker) };
            const response = await fetch(replicas.publicUrl + path, { method, headers });
            await response.body?.cancel();
            return response.status;
          }),
        ),
      );
    expect(await statuses('/mcp', 'POST', [ann.personal, ann.client])).toEqual([401, 401, 401, 401]);
    expect(await statuses('/v2/user/profile', 'GET', [ann.web])).toEqual([401, 401]);

    // what we ended costs nothing, however many
    for (const app of replicas.apps) await app.billing.ledger.flush();
    // the usage of both brokers is in the rows once both have written
    for (const app of replicas.apps) await app.usage.flush();
    const rows = await usageRows(replicas.apps[0], ann.id);
    expect(rows).toHaveLength(13);
    expect(rows.every(({ outcome, credits }) => outcome === 'cancelled' && credits === 0)).toBe(true);
    expect((await replicas.apps[1].billing.credits(ann.id)).balance).toBe(1000);

    // another user's call continues
    expect(isBobAnswered).toBe(false);
    ending.answerHanging();
    await bobs;
  });

  test('is refused a call that was allowed just before, and may run again once activated', async () => {
    const carl = await arrive('carl@souk.test');
    const say = (broker: 0 | 1) => {
      const { headers, body } = modernRequest(carl.personal, 'tools/call', {
        name: 'paid__say',
        arguments: { end: 'ok' },
      });
      return postRaw(link(), body, { ...headers, ...replicas.at(broker) });
    };
    for (const broker of brokers) expect((await say(broker)).text).toContain('done');
    await admin.deactivateUser({ params: { id: carl.id }, body: {} });
    expect((await say(0)).status).toBe(401);
    await admin.activateUser({ params: { id: carl.id }, body: {} });
    for (const broker of brokers) {
      await waitUntil('the broker to let them in', async () => (await say(broker)).text.includes('done'));
    }
  });

  test('an administrator is deactivated with a second confirmation; of two who deactivate each other concurrently one succeeds, and the other is signed out', async () => {
    const [one, other] = [await arrive('chief@souk.test'), await arrive('second@souk.test')];
    const api = [adminOf(one.web), adminOf(other.web)] as const;
    const unconfirmed = api[0].deactivateUser({ params: { id: other.id }, body: {} });
    await expect(unconfirmed).rejects.toMatchObject({ status: 409, code: 'confirm_administrator' });
    const body = { confirmAdministrator: true };
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.allSettled([
        api[0].deactivateUser({ params: { id: other.id }, body }),
        api[1].deactivateUser({ params: { id: one.id }, body }),
      ]);
      if (round > 0) continue;
      expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    }
    const { rows } = await replicas.apps[0].db.query(
      `select count(*)::int as rows from audit_log where action = 'user.deactivated' and subject = any($1::text[])`,
      [[one.id, other.id]],
    );
    expect(rows).toEqual([{ rows: 1 }]);
  });

  test('if two administrators deactivate one user concurrently both are answered, and one audit row is written', async () => {
    const dora = await arrive('dora@souk.test');
    const answers = await Promise.all([1, 2, 3].map(() => admin.deactivateUser({ params: { id: dora.id }, body: {} })));
    expect(answers.map(({ result }) => result).toSorted()).toEqual(['deactivated', 'unchanged', 'unchanged']);
    const { rows } = await replicas.apps[0].db.query('select action from audit_log where subject = $1', [dora.id]);
    expect(rows).toEqual([{ action: 'user.deactivated' }]);
  });
});
