// Opens a stdio server, prints its process group and ends without closing it: by exit when told to, or when killed.
// `leave-upstream-open.ts [network]`: the server runs in the sandbox with its own network.
import { tmpdir } from 'node:os';
import { NoticeLimits } from '#adapters/mcp/notices/notice-limits.ts';
import { fileURLToPath } from 'node:url';
import { openUpstream } from '#adapters/mcp/connect/open-upstream.ts';
import { openSandbox } from '#adapters/mcp/transports/sandbox.ts';
import { createLog } from '#platform/log.ts';

const log = createLog('silent');
const program = fileURLToPath(new URL('./servers/fault-stdio.ts', import.meta.url));
const argv = [process.execPath, program, 'stubborn'] as const;
const inNetwork = process.argv[2] === 'network';
const sandbox = inNetwork ? await openSandbox({ required: true, network: true, log }) : undefined;
const reads = [fileURLToPath(new URL('../../../..', import.meta.url)), process.execPath];
const launch = sandbox?.wrap({ argv, cwd: tmpdir(), env: {}, reads, network: true });
const upstream = await openUpstream(
  {
    type: 'stdio',
    ...(launch ?? { argv: [process.execPath, program, 'healthy'], cwd: '/', env: {} }),
  },
  {
    connectTimeoutMs: 10_000,
    listTimeoutMs: 5000,
    maxResultBytes: 1024 * 1024,
    log,
    notices: new NoticeLimits().ofServer('left'),
  },
);
process.stdin.once('data', () => process.exit(0));
process.stdout.write(`${upstream.pid}\n`);
