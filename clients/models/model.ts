import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isRecord, parseObject } from '../../apps/broker/src/platform/json.ts';
import { isNameOf } from '../program.ts';
import { listenLocally } from '../../apps/broker/src/testing/servers/listen-locally.ts';

/** Contents of a client's request to its model. */
export type Turn = {
  /** The tools that the model may call, by the names that it has to use. */
  tools: readonly ToolName[];
  /** Results of the model's calls until now, as text. */
  results: readonly string[];
  /** Whether the request belongs to the conversation. Side requests ask for a title, for example. */
  main: boolean;
};
/** Name of a tool. Some clients put the tools of a server under a namespace. */
export type ToolName = { name: string; namespace?: string };
/** The model's answer: a call, or the end of the conversation. */
export type Move = { tool: ToolName; args: Record<string, unknown>; id: string } | 'end';

/** Translation of turns and moves to one vendor's API. */
export type Dialect = {
  read(path: string, body: Record<string, unknown>): Turn | undefined;
  /** Begins the answer, where the API allows that, so that the client sees that the model is thinking. */
  begin(path: string, body: Record<string, unknown>, answer: ServerResponse): void;
  /** Text that is sent repeatedly while the model thinks. */
  keepAlive?: string;
  finish(path: string, body: Record<string, unknown>, answer: ServerResponse, move: Move): void;
  /** Returns the answer for any other request. */
  other(path: string): unknown;
};

/**
 * A model that the check controls: each request of the client waits until the check decides the next step, so that it can act
 * between two calls of one conversation.
 */
export type ScriptedModel = {
  url: string;
  /** Returns the tools of the newest turn; waits for the first. */
  tools(): Promise<readonly string[]>;
  /**
   * Lets the client call the tool.
   * @returns the result as the client passes it to the model
   */
  call(tool: string, args: Record<string, unknown>): Promise<string>;
  /** Makes a turn without effect, so that the next turn has the current list of tools. */
  again(): Promise<void>;
  end(): void;
  close(): Promise<void>;
};

type Waiting = { turn: Turn; move: (move: Move) => void };

const keepAliveMs = 5_000;

export async function startModel(dialect: Dialect): Promise<ScriptedModel> {
  let waiting: Waiting | undefined;
  const onTurn: ((waiting: Waiting) => void)[] = [];
  let ended = false;
  let calls = 0;

  const server = createServer((request, answer) => {
    void serve(request, answer).catch(() => answer.destroy());
  });
  async function serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const body = parseObject(await text(request)) ?? {};
    const turn = request.method === 'POST' ? dialect.read(path, body) : undefined;
    if (!turn) {
      answer.setHeader('content-type', 'application/json');
      return void answer.end(JSON.stringify(dialect.other(path)));
    }
    dialect.begin(path, body, answer);
    if (!turn.main || ended) return dialect.finish(path, body, answer, 'end');
    const alive = setInterval(() => {
      if (dialect.keepAlive !== undefined && body['stream'] === true) answer.write(dialect.keepAlive);
    }, keepAliveMs);
    const move = await new Promise<Move>((resolve) => {
      const mine: Waiting = { turn, move: resolve };
      waiting = mine;
      for (const hear of onTurn.splice(0)) hear(mine);
      answer.on('close', () => {
        clearInterval(alive);
        if (waiting === mine) waiting = undefined;
        resolve('end');
      });
    });
    clearInterval(alive);
    if (!answer.destroyed) dialect.finish(path, body, answer, move);
  }
  /** Returns the turn that waits for a move, as soon as there is one. */
  const nextTurn = (): Promise<Waiting> =>
    waiting ? Promise.resolve(waiting) : new Promise((resolve) => onTurn.push(resolve));
  const afterMove = async ({ turn, move }: Waiting, tool: ToolName, args: Record<string, unknown>) => {
    waiting = undefined;
    calls += 1;
    move({ tool, args, id: `call_${calls}` });
    const { results } = (await nextTurn()).turn;
    // some clients refuse a call themselves, for example as part of a loop
    if (results.length <= turn.results.length) throw new Error(`the client has no result for ${tool.name}`);
    return results.at(-1) ?? '';
  };
  const { port, close } = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    tools: async () => (await nextTurn()).turn.tools.map(({ name }) => name),
    async call(tool, args) {
      const next = await nextTurn();
      const known = next.turn.tools.find(({ name }) => isNameOf(name, tool));
      if (!known) throw new Error(`the client offers its model no tool ${tool}`);
      return afterMove(next, known, args);
    },
    async again() {
      const next = await nextTurn();
      // a client without our tools answers by itself that there is no such tool
      const known = next.turn.tools.find(({ name }) => isNameOf(name, 'list_my_servers')) ?? {
        name: 'list_my_servers',
      };
      // some clients end a conversation that repeats an identical call
      await afterMove(next, known, { turn: calls });
    },
    end() {
      ended = true;
      waiting?.move('end');
      waiting = undefined;
    },
    close,
  };
}

export const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

export function sendEvent(answer: ServerResponse, data: unknown, event?: string): void {
  answer.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
}
