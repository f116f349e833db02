import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { maxScratchBytes } from '#adapters/mcp/transports/sandbox.ts';
import { sandboxProblem } from '#testing/network/sandbox-works.ts';
import { scratchOf } from './family-memory.ts';
import { familyOf } from './process-family.ts';

const mega = 1024 * 1024;

/** Returns the memory counted for a program that wrote 8 MB to its /tmp, an in-memory file system of this size. */
async function countedOf(bytes: number): Promise<number> {
  const mounts = ['--dev-bind', '/', '/', '--size', String(bytes), '--tmpfs', '/tmp'];
  const script = `head -c ${8 * mega} /dev/zero > /tmp/held; echo held; exec cat`;
  const program = spawn('bwrap', [...mounts, '--', '/bin/sh', '-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(program, 'exit');
  try {
    await once(program.stdout, 'data');
    return Math.max(...familyOf(program.pid ?? 0, 100).pids.map(scratchOf));
  } finally {
    program.stdin.end();
    await exited;
  }
}

describe.skipIf(sandboxProblem() !== undefined)('the in-memory file systems of a program', () => {
  test("are those of its sandbox: the machine's own, which a sandbox still shows while it is being created, are larger", async () => {
    expect(await countedOf(maxScratchBytes)).toBeGreaterThanOrEqual(8 * mega);
    expect(await countedOf(maxScratchBytes + mega)).toBe(0);
  });
});
