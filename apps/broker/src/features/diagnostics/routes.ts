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
  parts: {
    list(userId: string): Promise<ConnectionAttempt[]>;
    listDocumentFaults(isAdmin: boolean): Promise<DocumentFault[]>;
    selfTest: SelfTest;
  },
): void {
  // only the token identifies the user: the URL with another user's id does not exist (clarifications, Addresses)
  router.route(listConnections, async ({ caller, params }) => {
    if (params.userId !== caller.userId) throw new SoukError('not_found');
    const attempts = await parts.list(caller.userId);
    const documentFaults = await parts.listDocumentFaults(caller.role === 'admin');
    return { success: true as const, attempts, documentFaults };
  });

  router.route(testConnection, async ({ caller, params, body, request }) => {
    if (params.userId !== caller.userId) throw new SoukError('not_found');
    const timeMs = body.browserTimeMs;
    const browser = { ...describeBrowser(request), ...(timeMs !== undefined && { timeMs }) };
    return { success: true as const, ...(await parts.selfTest.run(caller.userId, browser)) };
  });
}

/** Where the page was loaded from: the address in the user's address bar. Shown to this user only. */
function describeBrowser({ headers }: FastifyRequest): { origin?: string; forwardedProto?: string } {
  const [proto] = String(headers['x-forwarded-proto'] ?? '').split(',');
  const origin = URL.parse(headers.origin ?? '')?.origin;
  return {
    ...(origin !== undefined && origin !== 'null' && { origin }),
    ...(proto !== undefined && proto !== '' && { forwardedProto: proto.trim() }),
  };
}
