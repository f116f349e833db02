import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasCaddy, startCaddy } from '#testing/network/caddy.ts';
import { testCertificate, testCertificateKey } from '#testing/servers/client-example-tls.ts';
import { findOnPath } from '#testing/network/find-on-path.ts';
import { freePort } from '#testing/network/free-port.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { hasNginx, startNginx } from '#testing/network/nginx.ts';

// The proxies of deploy/, started with the original files. Traefik is in no package of Debian or npm: its file is not
// run here.
const proxies = [
  { name: 'nginx', installed: hasNginx(), start: startNginx },
  { name: 'Caddy', installed: hasCaddy(), start: startCaddy },
];
for (const { name, installed } of proxies) {
  if (!installed) process.stdout.write(`[proxies] SKIPPED: ${name} is not installed\n`);
}

const sent = ['first', 'second', 'third'];

/** Starts a server that responds in pieces, each sent when the client has the previous one. */
async function startUpstream() {
  const received = sent.map(() => Promise.withResolvers<void>());
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    if (request.url !== '/stream') return void response.end('ok');
    seen.push(request.headers);
    // the response has a length: Caddy never buffers a response without one
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': sent.join('').length });
    sent.forEach((piece, index) => {
      void (received[index - 1]?.promise ?? Promise.resolve()).then(() => response.write(piece));
    });
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  return { port, seen, clientHas: (count: number) => received[count - 1]?.resolve() };
}

describe.each(proxies)('$name', ({ installed, start }) => {
  test.skipIf(!installed)(
    "each piece of a response arrives as it is sent, and Souk receives the client's address and the requested host",
    async () => {
      const upstream = await startUpstream();
      const port = await freePort();
      const proxy = await start(port, [upstream.port]);
      onTestFinished(() => proxy.stop());
      const answer = await fetch(`http://127.0.0.1:${port}/stream`, { signal: AbortSignal.timeout(20_000) });
      const pieces: string[] = [];
      for await (const piece of answer.body ?? []) {
        pieces.push(Buffer.from(piece).toString());
        upstream.clientHas(pieces.length);
      }
      expect(pieces).toEqual(sent);
      expect(upstream.seen).toMatchObject([
        { host: `127.0.0.1:${port}`, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' },
      ]);
    },
  );
});

test.skipIf(!hasNginx())('nginx accepts its file with the lines for TLS', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'souk-nginx-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [certificate, key] = [join(folder, 'souk.pem'), join(folder, 'souk.key')];
  const shipped = await readFile(join(import.meta.dirname, '../../../../deploy/nginx.conf'), 'utf8');
  const site = shipped
    .replace('/etc/ssl/souk.example.pem', certificate)
    .replace('/etc/ssl/souk.example.key', key)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${await freePort()} ssl;`);
  const settings = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${site} }`;
  await writeFile(certificate, testCertificate);
  await writeFile(key, testCertificateKey);
  await writeFile(join(folder, 'nginx.conf'), settings);
  const { stderr } = await promisify(execFile)(findOnPath('nginx') ?? '', ['-t', '-c', join(folder, 'nginx.conf')]);
  expect(stderr).toContain('test is successful');
});
