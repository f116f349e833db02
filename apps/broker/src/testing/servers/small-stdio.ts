// A stdio MCP server of few lines, which starts as fast as Node: `node small-stdio.ts [crash-at-start|lingers]`. Its
// tools: echo returns its process id; crash exits; hang reports progress and never answers; look says what it can
// reach; ask asks the client's user and returns the reply; complain writes its arguments, and its secrets, to stderr.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

type Request = {
  id?: number;
  method?: string;
  params?: {
    name?: string;
    arguments?: Record<string, unknown>;
    capabilities?: { elicitation?: object };
    _meta?: { progressToken?: unknown };
  };
  result?: unknown;
  error?: { message: string };
};

if (process.argv[2] === 'crash-at-start') process.exit(3);
if (process.argv[2] === 'lingers') process.stdin.once('end', () => setTimeout(() => {}, 700));
const tools = ['echo', 'crash', 'hang', 'look', 'ask', 'complain'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
}));

const asked = new Map<number, (answer: string) => void>();
let canAsk = false;

createInterface({ input: process.stdin }).on('line', (line) => {
  const message: Request = JSON.parse(line);
  if (message.id === undefined) return;
  if (message.method === undefined) asked.get(message.id)?.(JSON.stringify(message.result ?? message.error?.message));
  else void respond(message.id, message);
});

async function respond(id: number, { method, params }: Request): Promise<void> {
  if (method === 'tools/call' && params?.name === 'hang') {
    const progressToken = params._meta?.progressToken;
    if (progressToken !== undefined) send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    return;
  }
  if (method === 'tools/call' && params?.name === 'crash') process.exit(3);
  const result = await resultOf(method, params);
  const answer = result ? { result } : { error: { code: -32_601, message: 'Method not found' } };
  send({ id, ...answer });
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function ask(): Promise<string> {
  if (!canAsk) return Promise.resolve('may not ask');
  const id = asked.size + 1000;
  const params = {
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  };
  send({ id, method: 'elicitation/create', params });
  return new Promise((resolve) => asked.set(id, resolve));
}

async function resultOf(method: string | undefined, params: Request['params']): Promise<object | undefined> {
  switch (method) {
    case 'initialize':
      canAsk = params?.capabilities?.elicitation !== undefined;
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'small', version: '1' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'tools/call': {
      if (params?.name === 'complain') {
        process.stderr.write(`${JSON.stringify(params.arguments)} ${process.env['API_TOKEN']}\n`);
      }
      const text =
        params?.name === 'look'
          ? JSON.stringify(await look(params.arguments ?? {}))
          : params?.name === 'ask'
            ? await ask()
            : String(process.pid);
      return { content: [{ type: 'text', text }] };
    }
    default:
      return undefined;
  }
}

/** Tries what a hostile program would try; each result is `yes: …` or the error's code. */
async function look(wanted: Record<string, unknown>): Promise<Record<string, string>> {
  const { addresses = [], files = [], writable = [] } = wanted;
  const found: Record<string, string> = {};
  for (const address of list(addresses)) {
    const end = address.lastIndexOf(':');
    found[address] = await reach(address.slice(0, end).replace(/[[\]]/g, ''), Number(address.slice(end + 1)));
  }
  for (const file of list(files)) found[file] = attempt(() => readFileSync(file, 'latin1').slice(0, 4000));
  for (const file of list(writable)) found[file] = attempt(() => writeFileSync(file, 'x'));
  return found;
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function attempt(act: () => unknown): string {
  try {
    return `yes: ${String(act())}`;
  } catch (error) {
    return codeOf(error);
  }
}

function reach(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 });
    socket.once('connect', () => resolve('yes: connected'));
    socket.once('error', (error) => resolve(codeOf(error)));
    socket.once('timeout', () => resolve('timeout'));
    socket.once('close', () => resolve('closed'));
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
