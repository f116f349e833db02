import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataFolderInUseError } from '../db/database-errors.ts';
import { SoukError } from '../errors.ts';
import { callOperator, NotRunningError, OperatorCommandError } from './call-operator.ts';
import { createOperatorServer, type OperatorCommands, type OperatorServer } from './operator-server.ts';

const log = pino({ level: 'silent' });
const commands: OperatorCommands = {
  echo: async (args) => args,
  nothing: async () => undefined,
  refuse: async () => {
    throw new SoukError('not_found');
  },
  full: async () => {
    throw new Error('cannot', {
      cause: Object.assign(new Error('could not extend file "base/5/1"'), { code: '53100' }),
    });
  },
  mute: async () => {
    throw new AggregateError([new Error('refused at ::1'), new Error('refused at 127.0.0.1')]);
  },
  silent: async () => {
    throw new TypeError();
  },
  crash: async () => {
    throw new Error('it broke');
  },
};

describe("the operator's socket", () => {
  let dataDir = '';
  const servers: OperatorServer[] = [];
  const start = async (folder = dataDir, extra: OperatorCommands = {}) => {
    const server = await createOperatorServer({ dataDir: folder, commands: { ...commands, ...extra }, log });
    servers.push(server);
    return server;
  };
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'souk-operator-'));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    rmSync(dataDir, { recursive: true });
  });

  test('a silent connection is dropped, and a command that takes its time is answered', async () => {
    const slow = Promise.withResolvers<string>();
    await start(dataDir, { slow: () => slow.promise });
    const answer = callOperator(dataDir, 'slow', {});
    const silent = createConnection(join(dataDir, 'souk.sock'));
    await once(silent, 'close');
    slow.resolve('done');
    expect(await answer).toBe('done');
  });

  test('[CFG-35] commands go to the running broker over a socket of mode 0600 in the data folder', async () => {
    await start();
    expect(statSync(join(dataDir, 'souk.sock')).mode & 0o777).toBe(0o600);
    expect(await callOperator(dataDir, 'echo', { a: ['ü', 1, null] })).toEqual({ a: ['ü', 1, null] });
    expect(await callOperator(dataDir, 'nothing', {})).toBe(null);
    const big = 'x'.repeat(500_000);
    expect(await callOperator(dataDir, 'echo', big)).toBe(big);
  });

  test('a refusal has a code and a text', async () => {
    await start();
    const refusal = callOperator(dataDir, 'refuse', {});
    await expect(refusal).rejects.toThrow(OperatorCommandError);
    await expect(refusal).rejects.toMatchObject({ code: 'not_found', message: 'Not found' });
    await expect(callOperator(dataDir, 'crash', {})).rejects.toMatchObject({ code: 'unexpected', message: 'it broke' });
    await expect(callOperator(dataDir, 'full', {})).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the disk of the database is full. Free space on it, then run the command again.',
    });
    await expect(callOperator(dataDir, 'mute', {})).rejects.toThrow('refused at 127.0.0.1');
    await expect(callOperator(dataDir, 'silent', {})).rejects.toThrow("TypeError (the broker's log has more)");
    await expect(callOperator(dataDir, 'toString', {})).rejects.toThrow('knows no command toString');
  });

  test('input that is not a command gets an error', async () => {
    await start();
    for (const line of ['', 'hello\n', '{"command":1}\n', 'x'.repeat(5000)]) {
      const socket = createConnection(join(dataDir, 'souk.sock'));
      socket.end(line);
      expect(await text(socket)).toContain('not a command');
    }
  });

  test('[CFG-37] without a broker the error says that none runs', async () => {
    await expect(callOperator(dataDir, 'echo', {})).rejects.toThrow(NotRunningError);
    const server = await start();
    await server.stop();
    servers.length = 0;
    await expect(callOperator(dataDir, 'echo', {})).rejects.toThrow(NotRunningError);
  });

  test('files in a data folder whose path ends in a slash are kept', async () => {
    const file = join(dataDir, 'kept');
    writeFileSync(file, '');
    const server = await start(`${dataDir}/`);
    expect(existsSync(file)).toBe(true);
    await server.stop();
    servers.length = 0;
    expect(existsSync(file)).toBe(true);
  });

  test('[CFG-36] if the path is over 107 bytes, the socket is in a short 0700 folder that the data folder names', async () => {
    const folder = join(dataDir, 'd'.repeat(120));
    mkdirSync(folder);
    const server = await start(folder);
    const path = readFileSync(join(folder, 'souk.sock.path'), 'utf8').trim();
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await callOperator(folder, 'echo', 1)).toBe(1);
    await server.stop();
    servers.length = 0;
    expect([existsSync(dirname(path)), existsSync(join(folder, 'souk.sock.path'))]).toEqual([false, false]);
  });

  test('a live socket is never taken from its broker', async () => {
    await start();
    await expect(start()).rejects.toThrow(DataFolderInUseError);
    expect(await callOperator(dataDir, 'echo', 'still here')).toBe('still here');
  });

  test("a killed broker's socket is replaced", async () => {
    const program = `
      import { createOperatorServer } from ${JSON.stringify(join(import.meta.dirname, 'operator-server.ts'))};
      await createOperatorServer({ dataDir: process.argv[1], commands: {}, log: { error() {} } });
      process.stdout.write('ready');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', program, dataDir]);
    await once(child.stdout, 'data');
    await expect(start()).rejects.toThrow(DataFolderInUseError);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(dataDir, 'souk.sock'))).toBe(true);
    await start();
    expect(await callOperator(dataDir, 'echo', 1)).toBe(1);
  });

  test('a stop waits for the running command', async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const server = await start(dataDir, {
      async slow() {
        begun.resolve();
        await release.promise;
        return 'finished';
      },
    });
    servers.length = 0;
    const answer = callOperator(dataDir, 'slow', {});
    const silent = createConnection(join(dataDir, 'souk.sock')); // must not delay the stop
    await begun.promise;
    const stopped = server.stop();
    release.resolve();
    await stopped;
    expect(await answer).toBe('finished');
    silent.destroy();
  });
});
