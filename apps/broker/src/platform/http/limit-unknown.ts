import type { FastifyInstance } from 'fastify';
import type { RequestRates } from './request-rates.ts';

/** Counts requests for unknown API paths against their address, since they cost an answer too. */
export function limitUnknown(server: FastifyInstance, rates: Pick<RequestRates, 'ofAddress'>): void {
  server.addHook('onRequest', async (request) => {
    if (request.is404 && /^\/(?:api|v2)\//.test(request.url)) rates.ofAddress(request.ip, 1);
  });
}
