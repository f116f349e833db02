import { fstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { EnvironmentError, readServiceEnvironment, type ServiceEnvironment } from './environment.ts';

/** EX_CONFIG of sysexits.h. */
const exitConfig = 78;
/** Time until open connections are cut; the start protocol promises an exit within 2 s. */
const closeDeadlineMs = 1_500;

export type RunningService = {
  /** Closes resources with data to save (a database). The caller cuts the connections. */
  close(): Promise<void> | void;
};

export type ServiceProgram = {
  scheme: 'http' | 'ws';
  /**
   * Reuses the port of the last start if it is free. An OAuth server's address is part of every token that it has issued, so a
   * new port would sign all users out.
   */
  keepsPort?: boolean;
  /** Attaches handlers to `server`, which already listens at `origin`. */
  attach(server: Server, environment: ServiceEnvironment, origin: string): RunningService | Promise<RunningService>;
};

/**
 * Runs a service until its parent ends it: listens on 127.0.0.1, prints one line `{"ready":true,"url":…}`, and exits with 0
 * on SIGTERM, SIGINT, or when standard input closes because the parent has ended.
 */
export async function startService(program: ServiceProgram): Promise<void> {
  // All files that a service writes are readable by their owner only.
  process.umask(0o077);
  const environment = environmentOrExit();
  mkdirSync(environment.dataDir, { recursive: true, mode: 0o700 });

  const server = createServer({ headersTimeout: 10_000, requestTimeout: 60_000 });
  const port = await listen(server, environment, program.keepsPort === true);
  const service = await program.attach(server, environment, `http://127.0.0.1:${port}`);
  stopWithParent(async () => {
    server.close();
    await service.close();
    server.closeAllConnections();
  });
  process.stdout.write(`${JSON.stringify({ ready: true, url: `${program.scheme}://127.0.0.1:${port}` })}\n`);
}

function environmentOrExit(): ServiceEnvironment {
  try {
    return readServiceEnvironment(process.env);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(exitConfig);
  }
}

async function listen(server: Server, environment: ServiceEnvironment, keepsPort: boolean): Promise<number> {
  const portFile = join(environment.dataDir, 'port');
  const wanted = environment.port === 0 && keepsPort ? readPort(portFile) : environment.port;
  const port = await listenOn(server, wanted).catch((error: NodeJS.ErrnoException) => {
    if (environment.port !== 0 || error.code !== 'EADDRINUSE') throw error;
    return listenOn(server, 0);
  });
  if (keepsPort) writeFileSync(portFile, String(port));
  return port;
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function readPort(file: string): number {
  try {
    const port = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
  } catch {
    return 0;
  }
}

function stopWithParent(close: () => Promise<void>): void {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(0), closeDeadlineMs).unref();
    void close().finally(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (standardInputIsPipe()) process.stdin.on('end', stop).on('close', stop).on('error', stop).resume();
}

/**
 * Tells a parent's pipe from a terminal or /dev/null, whose end does not mean that the parent ended. Node's pipes to children
 * are socket pairs.
 */
function standardInputIsPipe(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}
