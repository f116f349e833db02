import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runService, temporaryFolder } from './testing/run-service.ts';

const notes = new URL('../../notes/src/main.ts', import.meta.url);

describe('the start protocol', () => {
  test('an invalid environment ends with 78 and names every problem', async () => {
    const child = spawn(process.execPath, [fileURLToPath(notes)], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PORT: '70000' },
    });
    const [problems, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).toBe(78);
    expect(problems).toContain('DATA_DIR');
    expect(problems).toContain('PORT');
  });

  test('a service that wants to keep its port takes another one if that is in use', async () => {
    using folder = temporaryFolder();
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const address = holder.address();
    const taken = typeof address === 'object' && address !== null ? address.port : 0;
    writeFileSync(join(folder.path, 'port'), String(taken));
    const service = await runService(notes, { DATA_DIR: folder.path });
    expect(Number(new URL(service.url).port)).not.toBe(taken);
    expect(await service.stop()).toBe(0);
    holder.close();
  });
});
