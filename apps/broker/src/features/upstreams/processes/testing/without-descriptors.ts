// Starts programs in each of our ways while no file descriptor is left, and prints the results as JSON.
import { closeSync, openSync } from 'node:fs';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createServices } from '../run-services.ts';
import { runNpm } from '../run-npm.ts';
import { systemClock } from '#platform/clock.ts';
import { StdioTransport } from '#adapters/mcp/transports/stdio-transport.ts';
import { tryProgram } from '#adapters/mcp/transports/try-program.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';

const said: string[] = [];
const log = pino(
  { level: 'error' },
  new Writable({
    write(line, _encoding, done) {
      said.push(JSON.parse(String(line)).msg);
      done();
    },
  }),
);
const stdio = () =>
  new StdioTransport({ argv: ['cat'], cwd: '/', env: {}, maxResultBytes: 1024, pace: () => undefined });
const textOf = (error: unknown) => (error instanceof UpstreamError ? `${error.kind}: ${error.message}` : String(error));

const held: number[] = [];
try {
  for (;;) held.push(openSync('/dev/null', 'r'));
} catch {
  // none is left
}
const signal = new AbortController().signal;
const services = createServices({
  programs: { any: 'any.ts' },
  dataDir: '/tmp',
  secret: 'x',
  restartDelayMs: 600_000,
  clock: systemClock,
  log,
});
const outcome = {
  stdio: await stdio()
    .start()
    .then(() => 'started', textOf),
  tried: await tryProgram({ argv: ['true'], cwd: '/', env: {} }, 1000),
  npm: await runNpm('ci', { folder: '/tmp', cache: '/tmp', environment: {}, signal }).then(() => 'ran', textOf),
  service: await services.start('any').then(() => said),
};
await services.stop();
for (const descriptor of held) closeSync(descriptor);
const transport = stdio();
const afterwards = await transport.start().then(() => 'started', textOf);
await transport.close();
process.stdout.write(JSON.stringify({ ...outcome, afterwards }));
process.exit(0);
