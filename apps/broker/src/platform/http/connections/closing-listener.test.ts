import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startConnectingClients, type ConnectionEnds } from '#testing/figures/connecting-clients.ts';
import { freePort } from '#testing/network/free-port.ts';
import { limitFigure } from '#testing/figures/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { createConnections, type Connections } from './connections.ts';

// docs/decisions/0064

let port: number;
let clients: ReturnType<typeof startConnectingClients>;
beforeEach(async () => {
  port = await freePort();
  clients = startConnectingClients(port);
});
afterEach(() => clients.stop());

/** Makes each turn of the event loop take this long, as in a broker under load. @returns a function that ends it */
function keepBusy(ms: number): () => void {
  let isOver = ms === 0;
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  const turn = () => {
    Atomics.wait(nobody, 0, 0, ms);
    if (!isOver) setImmediate(turn);
  };
  if (!isOver) turn();
  return () => (isOver = true);
}

test.each([
  ['at rest', 0],
  ['under load', 5],
])('almost no connection that the kernel has accepted is reset when the listener closes %s', async (_, busyMs) => {
  /** Serves for a moment and closes. @returns the number of connections lost meanwhile */
  async function lostBy(close: (broker: Server, connections: Connections) => unknown): Promise<number> {
    const before = countEnds(await clients.ends());
    const broker = createServer((_request, response) => void response.end('ok'));
    const connections = createConnections();
    connections.watch(broker);
    broker.listen(port, '127.0.0.1');
    await once(broker, 'listening');
    const rest = keepBusy(busyMs);
    await waitUntil('some requests', async () => countEnds(await clients.ends()).answered > before.answered + 50);
    await close(broker, connections);
    await connections.settled(300, 5_000);
    rest();
    broker.closeAllConnections();
    return countEnds(await clients.ends()).lost - before.lost;
  }

  const lostByOurs = () => lostBy((_broker, connections) => connections.refuseNew());

  await lostByOurs();
  await waitUntil('new connections to be refused', async () => countEnds(await clients.ends()).refused > 0);
  // compared with a listener that closes at any moment: a busy machine may suspend the process between check and close
  const share = async () => {
    let [lost, lostOtherwise] = [0, 0];
    for (let round = 1; round <= 20; round++) {
      lost += await lostByOurs();
      lostOtherwise += await lostBy((broker) => void NetServer.prototype.close.call(broker));
    }
    expect(lostOtherwise).toBeGreaterThan(60);
    return lost / lostOtherwise;
  };
  await limitFigure(0.5, 'of those that another close resets', share, { scales: 'none' });
});

function countEnds({ answered = 0, ECONNREFUSED: refused = 0, ...lost }: ConnectionEnds) {
  return { answered, refused, lost: Object.values(lost).reduce((sum, count) => sum + count, 0) };
}
