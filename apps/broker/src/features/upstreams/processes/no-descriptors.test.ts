import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = join(import.meta.dirname, 'testing/without-descriptors.ts');

test('security row 88: a program that cannot start for lack of file descriptors fails its call, and the broker continues', async () => {
  // a separate process, which may have few files open
  const command = `ulimit -n 200; exec "${process.execPath}" "${program}"`;
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  expect(JSON.parse(stdout)).toEqual({
    stdio: expect.stringMatching(/^unreachable: spawn .*EMFILE$/),
    tried: expect.stringContaining('EMFILE'),
    npm: expect.stringContaining('EMFILE'),
    service: ['a service cannot be started'],
    afterwards: 'started',
  });
});
