// A machine in a small network, both made of network namespaces: `unshare -Urnm node small-internet.ts`. The machine
// has two public addresses and a service on each of its own addresses, loopback included; outside are a public host, a
// private one and the metadata address of clouds, all with a service. Prints, for each kind of network that a program
// in the sandbox may have, what it reaches: {"true": {address: answer}, "host": …}.
import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NoticeLimits } from '#adapters/mcp/notices/notice-limits.ts';
import { openUpstream } from '#adapters/mcp/connect/open-upstream.ts';
import { callOptions, textOf } from '#adapters/mcp/testing/open-for-test.ts';
import { openSandbox } from '#adapters/mcp/transports/sandbox.ts';
import { createLog } from '#platform/log.ts';

const port = 8000;
const machine = ['127.0.0.1', '[::1]', '11.22.33.44', '11.22.35.44', '[2a01:33::44]', '[2a01:35::44]'];
const outside = ['web.test', '11.22.44.1', '[2a01:44::1]', '10.0.0.53', '192.168.7.1', '100.64.0.1', '169.254.169.254'];
const localLink = ['[fd00::1]', '[fe80::99%v0]', '[::ffff:10.0.0.53]'];
const ip = (...lines: string[]) => execFileSync('ip', ['-batch', '-'], { input: lines.join('\n') });
const listen = () => once(createServer((socket) => socket.end()).listen(port, '::'), 'listening');

if (process.argv[2] === 'outside') await beOutside();
else await beMachine();

async function beOutside(): Promise<void> {
  await once(process.stdin, 'data');
  const here = ['11.22.44.1/32', '10.0.0.53/32', '192.168.7.1/32', '100.64.0.1/32', '169.254.169.254/32'];
  const local = [...here, '2a01:44::1/128', 'fd00::1/128'].map((address) => `address add ${address} dev lo`);
  ip('link set lo up', 'link set v1 up', 'address add 11.22.33.1/24 dev v1', 'address add 2a01:33::1/64 dev v1 nodad');
  ip(
    ...local,
    'address add fe80::99/64 dev v1 nodad',
    'route add 2a01:35::/64 dev v1',
    'route add 11.22.35.0/24 dev v1',
  );
  await listen();
  const resolver = createSocket('udp4').bind(53, '10.0.0.53');
  resolver.on('message', (query, from) => resolver.send(answerTo(query), from.port, from.address));
  await once(resolver, 'listening');
  process.stdout.write('ready\n');
}

/** Answers a query (RFC 1035): every name has the A record of the public host, and no AAAA record. */
function answerTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const isA = query.readUInt16BE(end - 4) === 1;
  const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 11, 22, 44, 1]);
  return Buffer.concat([head, query.subarray(12, end), ...(isA ? [record] : [])]);
}

async function beMachine(): Promise<void> {
  const other = spawn('unshare', ['-n', process.execPath, import.meta.filename, 'outside'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(other, 'spawn');
  const folder = mkdtempSync(join(tmpdir(), 'souk-internet-'));
  try {
    ip('link set lo up', `link add v0 type veth peer name v1 netns ${other.pid}`, 'link set v0 up');
    other.stdin.write('go\n');
    ip('address add 11.22.33.44/24 dev v0', 'address add 11.22.35.44/32 dev lo', 'route add default via 11.22.33.1');
    ip('address add 2a01:33::44/64 dev v0 nodad', 'address add 2a01:35::44/128 dev lo');
    ip('route add default via 2a01:33::1');
    await once(other.stdout, 'data');
    writeFileSync(join(folder, 'resolv.conf'), 'nameserver 10.0.0.53\n');
    execFileSync('mount', ['--bind', join(folder, 'resolv.conf'), '/etc/resolv.conf']);
    await listen();
    const sandbox = await openSandbox({ required: true, network: true, log: createLog('warn') });
    const program = fileURLToPath(new URL('../servers/small-stdio.ts', import.meta.url));
    const found: Record<string, string> = {};
    for (const network of [true, 'host', false] as const) {
      const reads = [process.execPath, program];
      const launch = sandbox.wrap({ argv: [process.execPath, program], cwd: folder, env: {}, reads, network });
      const limits = { connectTimeoutMs: 10_000, listTimeoutMs: 5000, maxResultBytes: 1024 * 1024 };
      const upstream = await openUpstream(
        { type: 'stdio', ...launch },
        {
          ...limits,
          log: createLog('warn'),
          notices: new NoticeLimits().ofServer('looking'),
        },
      );
      const addresses = [...machine, ...outside, ...localLink].map((address) => `${address}:${port}`);
      const answer = await upstream.callTool({ name: 'look', arguments: { addresses } }, callOptions());
      found[String(network)] = JSON.parse(textOf(answer));
      await upstream.close();
    }
    process.stdout.write(JSON.stringify(found));
  } finally {
    other.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(0);
}
