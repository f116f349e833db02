// Opens a stdio server, prints its process group and ends without closing it: by exit when told to, or when killed.
import { createLog } from '#platform/log.ts';
import { openUpstream } from '#adapters/mcp/connect/open-upstream.ts';
import { NoticeLimits } from '#adapters/mcp/notices/notice-limits.ts';
import { fileURLToPath } from 'node:url';

const upstream = await openUpstream(
  {
    type: 'stdio',
    argv: [process.execPath, fileURLToPath(new URL('./fault-stdio.ts', import.meta.url)), 'healthy'],
    cwd: '/',
    env: {},
  },
  {
    connectTimeoutMs: 5000,
    listTimeoutMs: 5000,
    maxResultBytes: 1024 * 1024,
    log: createLog('silent'),
    notices: new NoticeLimits().ofServer('left'),
  },
);
process.stdin.once('data', () => process.exit(0));
process.stdout.write(`${upstream.pid}\n`);
