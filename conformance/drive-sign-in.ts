import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { signInPerson, type TestPerson } from '../apps/broker/src/features/upstreams/sign-in/testing/person.ts';
import { deployManifest } from '../apps/broker/src/testing/deploy-manifest.ts';
import { listenLocally } from '../apps/broker/src/testing/servers/listen-locally.ts';
import { postModern } from '../apps/broker/src/testing/people/mcp-clients.ts';
import type { Broker } from './broker.ts';
import { startHttpsSignIn, type SignInSide } from './https-sign-in.ts';

const scenarioSchema = z.object({
  scenario: z.string(),
  /** Address of the suite's MCP server. */
  url: z.string(),
  /** Client, if it is already registered there. */
  context: z.looseObject({ client_id: z.string().optional(), client_secret: z.string().optional() }),
});

/** Tool of the suite's servers. */
const tool = { name: 'test-tool', inputSchema: { type: 'object' } };
/** Maximum sign-ins of a user for one scenario: one, and one more if the server asks again. */
const maxSignIns = 2;

export type SignInDriver = { address: string; stop(): Promise<void> };

/** Receives scenarios that need a sign-in from the suite's client processes, and answers 200 when each is done. */
export async function startSignInDriver(broker: Broker): Promise<SignInDriver> {
  const { publicUrl } = broker.config;
  const plain: SignInSide = { publicUrl, address: publicUrl };
  const https = await startHttpsSignIn(broker);
  let scenarios = 0;
  const email = 'suite@souk.test';
  /** One user for all scenarios: each scenario has its own server, and so its own account there. */
  const person = await signInPerson(publicUrl, email);
  const { token } = await broker.app.identity.createPersonalToken({ email, name: 'suite' });

  async function play(scenario: z.output<typeof scenarioSchema>): Promise<void> {
    const number = ++scenarios;
    const serverId = `suite-${number}`;
    const { client_id: clientId, client_secret: secret } = scenario.context;
    if (secret !== undefined) broker.upstreamSecrets.set(`UPSTREAM_CLIENT_SECRET_SUITE_${number}`, secret);
    await deployManifest(broker.app, {
      id: serverId,
      connection: { type: 'http', url: scenario.url },
      auth: { type: 'oauth', ...(clientId !== undefined && { clientId }) },
      capabilitySnapshot: { tools: [tool] },
    });
    if (clientId !== undefined) await confirmIssuer(serverId);
    // with https a metadata document identifies us; otherwise we register
    const side = scenario.scenario === 'auth/basic-cimd' ? https : plain;
    const call = () =>
      postModern(`${publicUrl}/s/${serverId}/mcp`, token, 'tools/call', { name: tool.name, arguments: {} });
    let signIns = 0;
    // twice: a server may accept a token first and refuse it later
    for (let round = 0; round < 2; round++) {
      const { body } = await call();
      if (!JSON.stringify(body).includes('sign_in_required') || signIns === maxSignIns) continue;
      signIns++;
      await signInThere(person, serverId, side);
      await call();
    }
  }

  /** Confirms the issuer as an administrator does: only then is a client that the operator registered used. */
  async function confirmIssuer(serverId: string): Promise<void> {
    const { catalogue, upstreams } = broker.app;
    const server = catalogue.snapshot().byId.get(serverId);
    const { named } = (server && (await upstreams.signIn.describeIssuer(server))) ?? {};
    if (server && named) await upstreams.signIn.confirmIssuer(server, named, { actorId: person.userId });
  }

  const http = createServer((request, response) => {
    void (async () => {
      try {
        await play(scenarioSchema.parse(JSON.parse(await text(request))));
        response.writeHead(200).end();
      } catch (error) {
        response.writeHead(500).end(error instanceof Error ? error.message : String(error));
      }
    })();
  });
  const { port, close } = await listenLocally(http);
  return {
    address: `http://127.0.0.1:${port}/`,
    async stop() {
      await close();
      await https.stop();
    },
  };
}

/**
 * Connects the user's upstream account: starts the sign-in, follows the redirects, and finishes it with the values of the
 * callback. @throws Error with the broker's message when it refuses
 */
async function signInThere({ userId, call }: TestPerson, serverId: string, side: SignInSide): Promise<void> {
  const start = `/api/users/${userId}/upstream-connections/${serverId}/sign-in`;
  const started = await call('POST', new URL(start, side.address).href);
  if (started.status !== 200) throw new Error(String(started.body['message']));
  const answer = await fetch(String(started.body['authUrl']), { redirect: 'manual' });
  const location = answer.headers.get('location') ?? '';
  if (!location.startsWith(`${side.publicUrl}/connect/callback?`)) throw new Error(`sent to ${location}`);
  const finished = await call(
    'POST',
    new URL('/mcp/oauth/callback', side.address).href,
    Object.fromEntries(new URL(location).searchParams),
    { origin: side.publicUrl },
  );
  if (finished.status !== 200) throw new Error(String(finished.body['message']));
}
