import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/client';
import { drainDiagnostics } from './stderr-lines.ts';
import { createLineSplitter } from '../wire/line-splitter.ts';
import { createMessageReader } from '../wire/message-reader.ts';
import { sdkCost } from '../notices/notice-limits.ts';
import { createPace, type Pace } from '../wire/pace.ts';
import { endGroup, guardGroup, signalGroup } from './process-group.ts';
import { UnsolicitedMessages } from './unsolicited-messages.ts';
import type { ProgramTarget } from '../target.ts';
import { UpstreamError } from '../upstream-error.ts';
import { whenStarted } from '#platform/when-started.ts';
import type { UpstreamTransport } from './upstream-transport.ts';
const maxLineBytes = 10 * 1024 * 1024;
/** Limit of the unsent input of a child that does not read. It is in our memory. */
const maxUnreadBytes = 16 * 1024 * 1024;
const graceMs = 2000;
/** Wait for the pipes to close after the exit: a process that left the group can keep them open. */
const pipeGraceMs = 250;

type StdioTransportOptions = ProgramTarget & {
  maxResultBytes: number;
  pace: Pace;
  onDiagnostics?: ((lines: readonly string[]) => void) | undefined;
};

/**
 * A server as a child process, one JSON-RPC message per line. Unlike the SDK's transport, the child has its own process
 * group and exactly the given environment, and closing leaves no process behind.
 */
export class StdioTransport implements UpstreamTransport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  /** Lets the SDK recognize a stdio transport, together with `pid`: a silent probe then means legacy, not an outage. */
  readonly stderr = null;
  ended: UpstreamError | undefined;
  readonly #options: StdioTransportOptions;
  #child: ChildProcessWithoutNullStreams | undefined;
  #exited: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  readonly #unsolicited = new UnsolicitedMessages();

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** @throws UpstreamError unreachable if the program cannot be started; the guard's refusal */
  async start(): Promise<void> {
    const { guard } = this.#options;
    await guard?.admit();
    // it may have ended meanwhile
    if (this.ended) throw this.ended;
    const [command = '', ...args] = [...(guard?.enter() ?? []), ...this.#options.argv];
    const child = spawn(command, args, {
      cwd: this.#options.cwd,
      env: this.#options.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      shell: false,
      windowsHide: true,
    });
    this.#child = child;
    const started = whenStarted(child);
    const { pid } = child;
    const leave = guard?.watch(pid === undefined ? undefined : { pid, end: (reason) => this.#endWith(reason) });
    if (pid === undefined) {
      return started.catch((cause: Error) => {
        throw new UpstreamError('unreachable', cause.message, { cause });
      });
    }
    // writing to a child that has exited fails; the exit itself is handled below
    child.stdin.on('error', () => {});
    drainDiagnostics(child.stderr, this.#options.onDiagnostics, (bytes) => {
      const tooMuch = this.#unsolicited.wroteToStderr(bytes);
      if (tooMuch) this.#endWith(tooMuch);
    });
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        endGroup(pid);
        const reason = leave?.();
        if (reason) this.#announceEnd(reason);
        void this.#afterExit(child, code, signal).then(resolve);
      });
    });
    guardGroup(pid);
    await started;
    this.#options.onStarted?.(pid);
    void this.#read(child).catch((error: unknown) => {
      this.#endWith(error instanceof UpstreamError ? error : new UpstreamError('bad_upstream', String(error)));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.ended || !stdin.writable)
      throw this.ended ?? new UpstreamError('closed', 'the process has ended');
    if (stdin.writableLength > maxUnreadBytes) {
      throw new UpstreamError('bad_upstream', 'the process does not read its input');
    }
    this.#unsolicited.sent(message);
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends stdin; 2 s later sends SIGTERM, 2 s later SIGKILL, to the whole group. Resolves when the process has exited. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async abort(): Promise<void> {
    this.#endWith(new UpstreamError('closed', 'the connection was aborted'));
    await this.#exited;
  }

  async #shutDown(): Promise<void> {
    this.#announceEnd(new UpstreamError('closed', 'the connection was closed'));
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin.end();
    if (await this.#exitsWithin(graceMs)) return;
    signalGroup(child.pid, 'SIGTERM');
    if (await this.#exitsWithin(graceMs)) return;
    signalGroup(child.pid, 'SIGKILL');
    await this.#exited;
  }

  async #exitsWithin(timeoutMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
    });
    const hasExited = await Promise.race([this.#exited.then(() => true), deadline]);
    clearTimeout(timer);
    return hasExited;
  }

  async #read(child: ChildProcessWithoutNullStreams): Promise<void> {
    const limit = Math.min(maxLineBytes, this.#options.maxResultBytes);
    const splitter = createLineSplitter(limit);
    const read = createMessageReader();
    const pace = createPace();
    for await (const chunk of child.stdout) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
      const { lines, tooLong } = splitter.push(bytes);
      for (const line of lines) {
        const message = read(line.toString('utf8'));
        this.#unsolicited.received(message, line.length);
        if (message) this.onmessage?.(message);
        // the SDK handles notices a microtask later and would drop progress right before its answer
        if (message && !('id' in message)) await Promise.resolve();
        const pause = pace(1, line.length);
        if (pause) await this.#unsolicited.pauseFor(pause);
        const shared = message && 'method' in message ? this.#options.pace(sdkCost, 0) : undefined;
        if (shared) await this.#unsolicited.pauseFor(shared);
      }
      if (tooLong) throw new UpstreamError('result_too_large', `a line of more than ${limit} bytes`);
    }
    if (!(await this.#exitsWithin(pipeGraceMs)))
      this.#endWith(new UpstreamError('closed', 'the process closed its output'));
  }

  /** Ends the process immediately after a fault of the server. */
  #endWith(reason: UpstreamError): void {
    this.#announceEnd(reason);
    const child = this.#child;
    const isRunning = child?.exitCode === null && child.signalCode === null;
    if (isRunning && child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
  }

  /** Reads what is still in the pipe after an exit, because it may contain an answer. */
  async #afterExit(child: ChildProcessWithoutNullStreams, code: number | null, signal: string | null): Promise<void> {
    if (!child.stdout.readableEnded && !child.stdout.destroyed) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        child.stdout.once('close', resolve);
        timer = setTimeout(resolve, pipeGraceMs);
      });
      clearTimeout(timer);
    }
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    this.#announceEnd(new UpstreamError('closed', `the process ended (${signal ?? `exit code ${code}`})`));
  }

  #announceEnd(reason: UpstreamError): void {
    if (this.ended) return;
    this.ended = reason;
    this.onclose?.();
  }
}
