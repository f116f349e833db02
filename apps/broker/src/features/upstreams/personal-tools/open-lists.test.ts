import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { signInAt, startVault, vaultManifest, type Vault } from '../sign-in/testing/vault.ts';

const tool = (name: string, description = `Does ${name}`) => ({
  name,
  description,
  inputSchema: { type: 'object' as const },
});

let { fixture, app, ann, token, close }: Partial<Vault> = {};
let nowMs = Date.now();

/** A server that requires a sign-in for calls, and lists some of its tools without one. */
beforeAll(async () => {
  ({ fixture, app, ann, token, close } = await startVault({
    app: () => ({ clock: { now: () => nowMs }, env: withoutHealthChecks }),
    manifest: (server) => {
      server.listOpenly([tool('search')]);
      return { capabilitySnapshot: undefined };
    },
  }));
  fixture.setToolsOf('ann', { tools: [tool('search'), tool('of_ann')] });
  await signInAt(ann, fixture, 'vault', 'ann');
  await untilListed(['of_ann', 'search']);
});
afterAll(() => close?.());

const vault = () => {
  if (!fixture || !app || !ann) throw new Error('not started');
  return { fixture, app, ann };
};
/** Returns what the shop's page shows to a visitor. */
async function shop(): Promise<string[]> {
  const answer = await fetch(`${vault().app.publicUrl}/mcp/tools`);
  return [...new Set((await answer.text()).match(/vault__\w+/g))].toSorted();
}
async function listed(): Promise<string[]> {
  const { body } = await postModern(`${vault().app.publicUrl}/s/vault/mcp`, token ?? '', 'tools/list', {});
  const tools = body.result?.['tools'];
  return Array.isArray(tools) ? tools.map(({ name }) => String(name)).toSorted() : [];
}
const untilListed = (names: readonly string[]) =>
  waitUntil(`Ann to be shown ${names.join()}`, async () => (await listed()).join() === names.join());
/** Queries the server without a sign-in, as a refresh and an announced change do. */
async function discoverOpenly(): Promise<void> {
  nowMs += 11_000;
  const server = () => vault().app.catalogue.snapshot().byId.get('vault');
  vault().app.upstreams.watch.refresh(['vault']);
  await waitUntil('the server to be queried', () => (server()?.discoveredAtMs ?? 0) >= nowMs);
}

describe('the tools of a server, before and after an approval', { shuffle: false }, () => {
  test('before an approval the shop shows what the server lists without a sign-in, and nothing of a user', async () => {
    expect(await shop()).toEqual(['vault__search']);
    await discoverOpenly();
    expect(await shop()).toEqual(['vault__search']);
  });

  test('an approved offering stays in the shop when the server is queried again without a sign-in', async () => {
    const { app: broker, ann: person } = vault();
    const of = { userId: person.userId, name: 'ann@souk.test' };
    const { code: shown } = await broker.upstreams.comparePersonalTools('vault', of);
    await broker.upstreams.approvePersonalTools('vault', of, { by: undefined, reason: 'looked at it', shown });
    expect(await shop()).toEqual(['vault__of_ann', 'vault__search']);
    await discoverOpenly();
    expect(await shop()).toEqual(['vault__of_ann', 'vault__search']);
  });

  test("a new version needs another decision, and the previous version's list is not approved for it", async () => {
    const { app: broker, ann: person, fixture: server } = vault();
    server.mischief.intercept = ({ url, headers }, response) => {
      if (url !== '/mcp' || headers.authorization !== undefined) return false;
      response.writeHead(503).end();
      return true;
    };
    await deployManifest(
      broker,
      { ...vaultManifest(server), version: '1.1.0', capabilitySnapshot: undefined },
      'unasked',
    );
    const of = { userId: person.userId, name: 'ann@souk.test' };
    const { code: shown } = await broker.upstreams.comparePersonalTools('vault', of);
    const approval = broker.upstreams.approvePersonalTools('vault', of, { by: undefined, reason: 'in a hurry', shown });
    await expect(approval).rejects.toThrow('This list is from version 1.0.0 of vault, but 1.1.0 is deployed.');
  });

  test('a tool that the server lists without a sign-in is not approved by that: under review for a user, it stays hidden', async () => {
    const { app: broker, ann: person, fixture: server } = vault();
    await signInAt(person, server, 'vault', 'ann');
    await waitUntil('the first discovery of this version', async () => {
      const { rows } = await broker.db.query(`select 1 from personal_tools where manifest_version = '1.1.0'`);
      return rows.length > 0;
    });
    server.mischief = {};
    server.listOpenly([tool('search'), tool('spy')]);
    server.setToolsOf('ann', { tools: [tool('search'), tool('spy')] });
    await discoverOpenly();
    expect(await shop()).toEqual(['vault__search', 'vault__spy']);
    await untilListed(['search']);
    const call = await postModern(`${broker.publicUrl}/mcp`, token ?? '', 'tools/call', { name: 'vault__spy' });
    expect(call.body.result).toMatchObject({ isError: true, _meta: { 'souk/code': 'tool_changed' } });
  });
});
