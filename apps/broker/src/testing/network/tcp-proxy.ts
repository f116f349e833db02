import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose network can fail: between a program and a server that stays up for all others. */
export type TcpProxy = {
  readonly port: number;
  /** Breaks the connections and refuses new ones, as a stopped server does. */
  stop(): Promise<void>;
  /** Drops all data, as a lost network does: nothing is answered, nothing is refused. */
  freeze(): void;
  /** Undoes both, on the same port. Frozen connections stay dead. */
  resume(): Promise<void>;
  /** Breaks the existing connections; new ones work. */
  cut(): void;
  close(): Promise<void>;
};

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const dead = new WeakSet<Socket>();
  let frozen = false;
  const server = createServer((near) => {
    track(near);
    if (frozen) return;
    const far = track(connect(target));
    near.on('data', (chunk) => void (dead.has(near) || far.write(chunk)));
    far.on('data', (chunk) => void (dead.has(near) || near.write(chunk)));
    near.on('close', () => far.destroy());
    far.on('close', () => void (dead.has(near) || near.destroy()));
  });
  const track = (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    return socket;
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const stop = async () => {
    cut();
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    await closed;
  };
  await listen(0);
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return {
    port: address.port,
    stop,
    freeze() {
      frozen = true;
      for (const socket of sockets) dead.add(socket);
    },
    async resume() {
      frozen = false;
      if (!server.listening) await listen(address.port);
    },
    cut,
    close: stop,
  };
}
