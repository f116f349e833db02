import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { App } from '../../apps/broker/src/app-types.ts';
import type { Database } from '../../apps/broker/src/platform/db/database.ts';
import { watchLongestTurn } from '../../apps/broker/src/testing/figures/longest-turn.ts';
import type { Answered, Asked } from './request-worker.ts';
import { costliestRequests, type Ask, type Shop } from './costliest-requests.ts';
import { routesOf } from './routes-of.ts';

export type Measured = {
  route: string;
  what: string;
  status: number;
  /** Database statements of the request. */
  statements: number;
  bytes: number;
  /** Processor time of the serving thread; minimum of the rounds. */
  cpuMs: number;
  longestTurnMs: number;
};

/** Counts the database statements of each request, without those of jobs and shared reads. */
export function createStatementCount(db: Database) {
  const requests = new AsyncLocalStorage<{ statements: number }>();
  const count = () => {
    const request = requests.getStore();
    if (request) request.statements++;
  };
  const query: Database['query'] = (text, values) => {
    count();
    return db.query(text, values);
  };
  const counting: Database = {
    ...db,
    query,
    transaction: (work) =>
      db.transaction((inside) =>
        work((text, values) => {
          count();
          return inside(text, values);
        }),
      ),
  };
  let last = { statements: 0 };
  return {
    db: counting,
    watch(app: App) {
      app.server.server.prependListener('request', () => requests.enterWith((last = { statements: 0 })));
    },
    statements: () => last.statements,
  };
}

/**
 * Sends the most expensive request of each route, sequentially.
 * @throws Error for a route without a row, or a row without a route
 */
export async function walkEndpoints(
  app: App,
  shop: Shop & { tokens: Record<'person' | 'admin', string> },
  statements: () => number,
  rounds: number,
): Promise<Measured[]> {
  const rows = costliestRequests(shop);
  const routes = routesOf(app.server.printRoutes({ commonPrefix: false }));
  const [missing, unknown] = [
    routes.filter((route) => !rows[route]),
    Object.keys(rows).filter((route) => !routes.includes(route)),
  ];
  if (missing.length > 0)
    throw new Error(`routes without a costliest request (costliest-requests.ts): ${missing.join(', ')}`);
  if (unknown.length > 0) throw new Error(`there is no such route: ${unknown.join(', ')}`);

  const worker = new Worker(new URL('./request-worker.ts', import.meta.url));
  const measured: Measured[] = [];
  try {
    for (const route of routes) {
      const row = rows[route];
      if (!row) continue;
      const [method = ''] = route.split(' ');
      const result: Measured = {
        route,
        what: row.what,
        status: 0,
        statements: 0,
        bytes: 0,
        cpuMs: Number.POSITIVE_INFINITY,
        longestTurnMs: Number.POSITIVE_INFINITY,
      };
      for (let round = 0; round < rounds; round++) {
        const asked = toRequest(method, row.ask(round), shop);
        const longest = watchLongestTurn();
        const before = process.threadCpuUsage();
        const answer = await askIn(worker, asked);
        const after = process.threadCpuUsage();
        const longestTurnMs = longest();
        const cpuMs = (after.user + after.system - before.user - before.system) / 1000;
        // later rounds may find the work done, and answer with another status
        if (round === 0) result.status = answer.status;
        result.statements = Math.max(result.statements, statements());
        result.bytes = Math.max(result.bytes, answer.bytes);
        result.cpuMs = Math.min(result.cpuMs, cpuMs);
        result.longestTurnMs = Math.min(result.longestTurnMs, longestTurnMs);
      }
      measured.push(result);
    }
  } finally {
    await worker.terminate();
  }
  return measured;
}

async function askIn(worker: Worker, asked: Asked): Promise<Answered> {
  const answered = once(worker, 'message');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage(asked);
  // sent by request-worker.ts
  return (await answered)[0] as Answered;
}

function toRequest(
  method: string,
  { path, as = 'visitor', json, form, body, headers }: Ask,
  shop: { publicUrl: string; tokens: Record<'person' | 'admin', string> },
): Asked {
  const text =
    body ?? (form ? String(new URLSearchParams(form)) : json === undefined ? undefined : JSON.stringify(json));
  return {
    method,
    url: shop.publicUrl + path,
    body: text,
    headers: {
      ...(as !== 'visitor' && { authorization: `Bearer ${shop.tokens[as]}` }),
      ...(text !== undefined && {
        'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      }),
      ...headers,
    },
  };
}
