import { confirmServerIssuer, getServerSignIn, registerAtServerAgain } from '@souk/contract/admin/servers.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { UpstreamSignIn } from '../create-upstream-sign-in.ts';

type Parts = {
  catalogue: Pick<Catalogue, 'snapshot'>;
  signIn: Pick<UpstreamSignIn, 'describeIssuer' | 'confirmIssuer' | 'registerAgain'>;
};

/** Mounts what administrators see and decide about where users sign in at a server. */
export function mountIssuerRoutes(router: Router, { catalogue, signIn }: Parts): void {
  function serverOf(id: string): CatalogueServer {
    const server = catalogue.snapshot().byId.get(id);
    if (server?.manifest.auth.type === 'oauth') return server;
    throw new SoukError('not_found', { message: `${id} is not deployed, or has no sign-in.` });
  }

  router.route(getServerSignIn, async ({ params }) => {
    return { success: true as const, signIn: await signIn.describeIssuer(serverOf(params.id)) };
  });

  router.route(confirmServerIssuer, async ({ caller, params, body }) => {
    const server = serverOf(params.id);
    await signIn.confirmIssuer(server, body, { actorId: caller.userId });
    return { success: true as const, signIn: await signIn.describeIssuer(server) };
  });

  router.route(registerAtServerAgain, async ({ caller, params }) => {
    const server = serverOf(params.id);
    await signIn.registerAgain(server, { actorId: caller.userId });
    return { success: true as const, signIn: await signIn.describeIssuer(server) };
  });
}
