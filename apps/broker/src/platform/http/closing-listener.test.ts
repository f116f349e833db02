import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { expect, test } from 'vitest';
import { startConnectingClients, type ConnectionEnds } from '#testing/connecting-clients.ts';
import { freePort } from '#testing/free-port.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { createConnections, type Connections } from './connections.ts';

// docs/decisions/0064. It runs alone (vitest.config.ts), and beside a listener that closes at any moment: on a busy machine
// the processor may be taken away between the look and the close

test('next to no connection that the kernel has accepted is reset when the listener closes', async () => {
  const port = await freePort();
  const clients = startConnectingClients(port);

  /** Serves for a moment and closes. @returns how many connections were lost meanwhile */
  async function lostBy(close: (broker: Server, connections: Connections) => unknown): Promise<number> {
    const before = countEnds(await clients.ends());
    const broker = createServer((_request, response) => void response.end('ok'));
    const connections = createConnections();
    connections.watch(broker);
    broker.listen(port, '127.0.0.1');
    await once(broker, 'listening');
    await waitUntil('some requests', async () => countEnds(await clients.ends()).answered > before.answered + 50);
    await close(broker, connections);
    await connections.settled(300, 5_000);
    broker.closeAllConnections();
    return countEnds(await clients.ends()).lost - before.lost;
  }

  try {
    let [lost, lostOtherwise] = [0, 0];
    for (let round = 1; round <= 20; round++) {
      lost += await lostBy((_broker, connections) => connections.refuseNew());
      lostOtherwise += await lostBy((broker) => void NetServer.prototype.close.call(broker));
    }
    const { answered, refused } = countEnds(await clients.ends());
    expect(lostOtherwise).toBeGreaterThan(60);
    expect(lost).toBeLessThan(lostOtherwise / 2);
    expect(answered).toBeGreaterThan(1_000);
    expect(refused).toBeGreaterThan(0);
  } finally {
    await clients.stop();
  }
});

function countEnds({ answered = 0, ECONNREFUSED: refused = 0, ...lost }: ConnectionEnds) {
  return { answered, refused, lost: Object.values(lost).reduce((sum, count) => sum + count, 0) };
}
