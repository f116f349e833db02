import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { networkProblem, sandboxProblem } from '#testing/network/sandbox-works.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { openSandbox, type ProgramCommand } from './sandbox.ts';

const problem = sandboxProblem() ?? networkProblem();
if (problem !== undefined) {
  process.stderr.write(`SKIPPED: ${problem}: what programs with a network can reach is not proved\n`);
}
const internet = fileURLToPath(new URL('../../../testing/network/small-internet.ts', import.meta.url));
const broker = fileURLToPath(new URL('../../../testing/leave-upstream-open.ts', import.meta.url));

describe.skipIf(problem !== undefined)('a program in the sandbox, on a machine in a small network', () => {
  let found: Record<'true' | 'host' | 'false', Record<string, string>>;
  beforeAll(async () => {
    const argv = ['-Urnm', process.execPath, internet];
    const { stdout } = await promisify(execFile)('unshare', argv);
    found = JSON.parse(stdout);
  });

  const publicHost = ['11.22.44.1:8000', '[2a01:44::1]:8000', 'web.test:8000'];
  const metadata = '169.254.169.254:8000';

  test('with "network": true it reaches a public host, by name too, and nothing else', () => {
    const reached = Object.keys(found.true).filter((address) => found.true[address]?.startsWith('yes'));
    expect(reached.toSorted()).toEqual(publicHost.toSorted());
  });

  test('bad input 25: with "network": true it is refused immediately by the machine, its private network and the metadata address', () => {
    const others = Object.entries(found.true).filter(([address]) => !publicHost.includes(address));
    expect(others.length).toBeGreaterThan(10);
    for (const [, answer] of others) expect(answer).toMatch(/^(EACCES|ECONNREFUSED)$/);
    expect(found.true[metadata]).toBe('EACCES');
  });

  test('with "network": "host" it reaches everything that the machine reaches, including its own ports', () => {
    expect(new Set(Object.values(found.host))).toEqual(new Set(['yes: connected']));
  });

  test('without "network" it reaches nothing', () => {
    const answers = Object.values(found.false);
    expect(answers).toHaveLength(Object.keys(found.host).length);
    for (const answer of answers) expect(answer).toMatch(/^E/);
  });
});

test.skipIf(problem !== undefined)(
  'a program with its own network ends together with pasta when the broker is killed',
  async () => {
    const parent = spawn(process.execPath, [broker, 'network'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const group = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
    });
    const processes = () => {
      const lines = execFileSync('ps', ['-eo', 'pgid='], { encoding: 'utf8' }).split('\n');
      return lines.filter((line) => Number(line) === group).length;
    };
    expect(processes()).toBeGreaterThan(2);
    parent.kill('SIGKILL');
    await waitUntil('the group is empty', () => processes() === 0);
  },
);

describe.skipIf(sandboxProblem() !== undefined)('if pasta is not installed', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'souk-tools-'));
    const tools = ['bwrap', 'prlimit', 'setpriv', 'unshare'];
    for (const name of tools) symlinkSync(`/usr/bin/${name}`, join(folder, name));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const command: ProgramCommand = { argv: ['true'], cwd: tmpdir(), env: {}, reads: [], network: true };

  test.each([true, false])(
    'programs that need a network are refused, and a log line says why (required: %s)',
    async (required) => {
      const lines: string[] = [];
      const destination = new Writable({
        write(chunk, _encoding, done) {
          lines.push(String(chunk));
          done();
        },
      });
      const log = createLog('warn', destination);
      const sandbox = await openSandbox({ required, network: true, log, searchPath: folder });
      expect(() => sandbox.wrap(command)).toThrow('pasta (package passt) is not installed');
      expect(lines.join('')).toContain('programs with \\"network\\": true are refused: pasta (package passt)');
      const [program] = sandbox.wrap({ ...command, network: false }).argv;
      expect(program).toBe(join(folder, 'bwrap'));
    },
  );
});
