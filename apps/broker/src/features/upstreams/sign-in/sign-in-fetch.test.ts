import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { withSignInFetch } from './sign-in-fetch.ts';

// localhost stands for any name: its resolved address decides
const named = 'http://localhost:8080/mcp';
const elsewhere = '192.0.2.0/24';
const refused = 'neither an https address';

test.each([
  ['a name outside of the allowed networks', named, elsewhere, refused],
  ['a name inside of them', named, '127.0.0.0/8,::1/128', '200'],
  ['a name that is itself listed', named, `localhost:8080,${elsewhere}`, '200'],
  ['a literal inside of them', 'http://192.0.2.1/mcp', elsewhere, '200'],
  ['a literal outside of them', 'https://198.51.100.1/mcp', elsewhere, refused],
])('a server at %s may or may not name a private authorization server', async (_place, url, networks, expected) => {
  const { port, close } = await listenLocally(createServer((_request, response) => response.end('{}')));
  const allowAddresses = [...networks.split(','), `127.0.0.1:${port}`];
  const answer = await withSignInFetch({ url, allowAddresses }, async (fetch) => {
    return String((await fetch(`http://127.0.0.1:${port}/.well-known/oauth-authorization-server`)).status);
  }).catch(String);
  expect(answer).toContain(expected);
  await close();
});

test('one deadline covers all requests of a step, however many responses drip', async () => {
  let drips = 0;
  const server = await listenLocally(
    createServer((_request, response) => {
      drips++;
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    }),
  );
  const address = `127.0.0.1:${server.port}`;
  const url = `http://${address}/`;
  const failures: unknown[] = [];
  const work = withSignInFetch(
    { url, allowAddresses: [address] },
    async (fetch) => {
      for (let n = 0; n < 3; n++) await fetch(url).catch((error: unknown) => failures.push(error));
    },
    200,
  );
  await work;
  expect(failures.map(String)).toEqual(Array(3).fill(`SignInProblem: ${address} does not answer in time`));
  // the second and third were not sent
  expect(drips).toBe(1);
  await server.close();
});
