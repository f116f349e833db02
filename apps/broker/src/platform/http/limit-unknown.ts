import type { FastifyInstance } from 'fastify';
import type { RequestRates } from './request-rates.ts';

/** Counts a request for an address of the API that does not exist as a read by its address: it costs an answer as well. */
export function limitUnknown(server: FastifyInstance, rates: Pick<RequestRates, 'ofAddress'>): void {
  server.addHook('onRequest', async (request) => {
    if (request.is404 && /^\/(?:api|v2)\//.test(request.url)) rates.ofAddress(request.ip, 1);
  });
}
