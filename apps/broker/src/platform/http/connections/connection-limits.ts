import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SoukError } from '../../errors.ts';
import { renderError, retryAfterSeconds } from '../answers/error-body.ts';
import { putInFront } from './put-in-front.ts';
import { createSocketGroups } from './socket-groups.ts';

/** Limits of client connections per broker. */
export type ConnectionLimits = {
  /** Connections above this get only the probes, and 503 for everything else. */
  soft: number;
  /** Connections above this are dropped. */
  hard: number;
  /** Connections of one address above this are dropped. */
  ofAddress: number;
};

/** Files and sockets of the database, the broker itself, and programs that it starts. */
const ownFiles = 128;
/** Fewer leave no room for users and servers. */
export const leastOpenFiles = 256;

/** Reads how many files and sockets this process may have open; undefined if the system does not say. */
export function readOpenFileLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** @param upstreams connections to servers that the broker may open (UPSTREAM_CONNECTIONS) */
export function connectionLimits(openFiles: number, upstreams: number): ConnectionLimits {
  const hard = openFiles - ownFiles - Math.min(upstreams, Math.floor(openFiles / 4));
  const soft = hard - Math.max(8, Math.floor(hard / 20));
  return { soft, hard, ofAddress: Math.max(16, Math.floor(soft / 2)) };
}

/** This machine, which may run a proxy that TRUST_PROXY does not name. */
export const thisMachine: readonly string[] = ['127.0.0.0/8', '::1'];

const probes: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);
const refusal = JSON.stringify(renderError(new SoukError('unavailable'), '').body);

/**
 * Limits the connections of a server, so that descriptors are left for the database, servers and programs.
 * @param shared addresses and networks of many users, exempt from the limit per address: TRUST_PROXY, and this machine
 */
export function limitConnections(server: Server, limits: ConnectionLimits, shared: readonly string[]): void {
  const groupOf = createSocketGroups(shared);
  const counts = new Map<string, number>();
  const late = new WeakSet<Socket>();
  let open = 0;

  server.on('connection', (socket) => {
    const group = groupOf(socket);
    const count = group === undefined ? 0 : (counts.get(group) ?? 0);
    if (open >= limits.hard || count >= limits.ofAddress) {
      socket.destroy();
      return;
    }
    if (open >= limits.soft) late.add(socket);
    open++;
    if (group !== undefined) counts.set(group, count + 1);
    socket.once('close', () => {
      open--;
      if (group === undefined) return;
      const left = (counts.get(group) ?? 1) - 1;
      if (left > 0) counts.set(group, left);
      else counts.delete(group);
    });
  });
  putInFront(server, (request, response, next) => {
    if (!late.has(request.socket)) return next();
    response.shouldKeepAlive = false;
    if (probes.has(request.url)) return next();
    response.writeHead(503, {
      'content-type': 'application/json; charset=utf-8',
      'retry-after': String(retryAfterSeconds),
    });
    response.end(refusal);
  });
}
