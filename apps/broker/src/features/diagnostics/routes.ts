import type { FastifyRequest } from 'fastify';
import {
  listConnections,
  testConnection,
  type ConnectionAttempt,
  type DocumentFault,
} from '@souk/contract/diagnostics.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { SelfTest } from './doctor/self-test.ts';

export function mountDiagnosticsRoutes(
  router: Router,
  {
    list,
    listDocumentFaults,
    selfTest,
  }: {
    list(userId: string): Promise<ConnectionAttempt[]>;
    listDocumentFaults(isAdmin: boolean): Promise<DocumentFault[]>;
    selfTest: SelfTest;
  },
): void {
  // Identity comes from the token alone: another's id is an address that does not exist (clarifications, Addresses).
  router.route(listConnections, async ({ caller, params }) => {
    if (params.userId !== caller.userId) throw new SoukError('not_found');
    const attempts = await list(caller.userId);
    const documentFaults = await listDocumentFaults(caller.role === 'admin');
    return { success: true as const, attempts, documentFaults };
  });

  router.route(testConnection, async ({ caller, params, body, request }) => {
    if (params.userId !== caller.userId) throw new SoukError('not_found');
    const timeMs = body.browserTimeMs;
    const browser = { ...describeBrowser(request), ...(timeMs !== undefined && { timeMs }) };
    return { success: true as const, ...(await selfTest.run(caller.userId, browser)) };
  });
}

/** Where the page itself was loaded from: what its owner sees in the address bar. Told to its owner alone. */
function describeBrowser({ headers }: FastifyRequest): { origin?: string; forwardedProto?: string } {
  const [proto] = String(headers['x-forwarded-proto'] ?? '').split(',');
  const origin = URL.parse(headers.origin ?? '')?.origin;
  return {
    ...(origin !== undefined && origin !== 'null' && { origin }),
    ...(proto !== undefined && proto !== '' && { forwardedProto: proto.trim() }),
  };
}
