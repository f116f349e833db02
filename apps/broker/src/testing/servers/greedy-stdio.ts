// A stdio MCP server that takes all it can, as its callers ask (small-stdio.ts is the well-behaved one). Tools: write
// {files, bytes, slowly} into its folder; hide {bytes} in open but deleted files; deepen; empty its folder; grow
// {bytes, slowly} of memory, slowly without a response; scratch {folder, bytes} in files there; sparse: a file with a
// hole; queue {count}: sockets that are never read, so the kernel buffers what is written; fork {count}; chatter:
// endless stderr; notify {line}: that line endlessly; echo its process id.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

type Wanted = { files?: number; bytes?: number; count?: number; folder?: string; line?: string; slowly?: boolean };
type Request = { id?: number; method?: string; params?: { name?: string; arguments?: Wanted } };

const mega = 1024 * 1024;
const held: unknown[] = [];
const ways: Record<string, (wanted: Required<Wanted>) => unknown> = {
  echo: () => process.pid,
  async write({ files, bytes, slowly }) {
    for (let file = 0; file < files; file++) {
      writeFileSync(`${process.hrtime.bigint()}-${file}`, Buffer.alloc(bytes, 1));
      if (slowly) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return readdirSync('.').length;
  },
  hide({ bytes }) {
    for (let at = 0; at < bytes; at += mega) {
      const file = openSync(`hidden-${at}`, 'w');
      unlinkSync(`hidden-${at}`);
      writeSync(file, Buffer.alloc(mega, 1));
      held.push(file);
    }
  },
  sparse({ bytes }) {
    const file = openSync(`sparse-${bytes}`, 'w');
    writeSync(file, 'x', bytes);
    closeSync(file);
  },
  deepen() {
    for (let depth = 0; depth < 60; depth++) {
      mkdirSync('d'.repeat(200));
      process.chdir('d'.repeat(200));
    }
  },
  empty() {
    for (const name of readdirSync('.')) rmSync(name, { recursive: true });
  },
  async grow({ bytes, slowly }) {
    for (let at = 0; at < bytes; at += 8 * mega) {
      held.push(Buffer.alloc(8 * mega, 1));
      if (slowly) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    if (slowly) await new Promise(() => {});
  },
  scratch({ folder, bytes }) {
    // one buffer for all, so that the memory is taken by the files and not by uncollected garbage
    const piece = Buffer.alloc(mega, 1);
    for (let at = 0; at < bytes; at += mega) writeFileSync(`${folder}/${at}`, piece);
  },
  async queue({ count }) {
    const piece = Buffer.alloc(mega, 1);
    const full = Promise.withResolvers<void>();
    const fill = (socket: Socket) => {
      socket.pause().write(piece);
      if (held.push(socket) >= 2 * count) full.resolve();
    };
    const server = createServer(fill);
    await new Promise<void>((resolve) => void server.listen('/tmp/queue', resolve));
    for (let each = 0; each < count; each++) {
      const socket = connect('/tmp/queue', () => fill(socket));
    }
    await full.promise;
  },
  fork: ({ count }) => Array.from({ length: count }, () => spawn('sleep', ['600'], { stdio: 'ignore' })).length,
  chatter: () => pour(process.stderr, 'e'),
  notify: ({ line }) => pour(process.stdout, line),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const request: Request = JSON.parse(line);
  if (request.id !== undefined && request.method !== undefined) void answer(request.id, request);
});

async function answer(id: number, { method, params }: Request): Promise<void> {
  const result = await resultOf(method, params);
  send({ id, ...(result ? { result } : { error: { code: -32_601, message: 'Method not found' } }) });
}

async function resultOf(method: string | undefined, params: Request['params']): Promise<object | undefined> {
  if (method === 'ping') return {};
  if (method === 'tools/list') {
    return { tools: Object.keys(ways).map((name) => ({ name, inputSchema: { type: 'object' } })) };
  }
  if (method === 'initialize') {
    const serverInfo = { name: 'greedy', version: '1' };
    return { protocolVersion: '2025-06-18', capabilities: { tools: {}, logging: {} }, serverInfo };
  }
  if (method !== 'tools/call') return undefined;
  const wanted = { files: 1, bytes: 1, count: 1, folder: '.', line: '', slowly: false, ...params?.arguments };
  try {
    return { content: [{ type: 'text', text: String((await ways[params?.name ?? '']?.(wanted)) ?? 'done') }] };
  } catch (error) {
    return { content: [{ type: 'text', text: error instanceof Error ? error.message : String(error) }], isError: true };
  }
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** Writes a line as fast as it is read, and never ends. */
function pour(stream: NodeJS.WriteStream, line: string): Promise<never> {
  const block = `${line}\n`.repeat(Math.max(1, Math.ceil(65_536 / (line.length + 1))));
  const write = () => void stream.write(block, () => setImmediate(write));
  write();
  return new Promise(() => {});
}
