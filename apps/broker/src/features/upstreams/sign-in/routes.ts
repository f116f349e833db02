import {
  deleteUpstreamConnection,
  finishUpstreamSignIn,
  listUpstreamConnections,
  putUpstreamHeaders,
  startUpstreamSignIn,
  type UpstreamAccount,
} from '@souk/contract/upstreams.ts';
import type { FastifyInstance } from 'fastify';
import { servedTools, type Catalogue, type CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import type { Preferences } from '../preferences/create-preferences.ts';
import { browserOf, forgetBrowser } from './browser-cookie.ts';
import { clientDocumentPath, clientMetadata, redirectUriOf } from './client/client-document.ts';
import type { PersonalTools } from '../personal-tools/personal-tools.ts';
import type { UpstreamSignIn } from './create-upstream-sign-in.ts';
import { needsOwnSecrets } from './credentials.ts';

type Parts = {
  catalogue: Catalogue;
  preferences: Preferences;
  signIn: UpstreamSignIn;
  personalTools: Pick<PersonalTools, 'of'>;
  config: { publicUrl: string; brandName: string };
};

/** Mounts the calls on a user's upstream accounts: state, sign-in, headers, disconnect, and the callback. */
export function mountUpstreamSignInRoutes(
  router: Router,
  { catalogue, preferences, signIn, personalTools, config }: Parts,
): void {
  function serverOf(serverId: string): CatalogueServer {
    const server = catalogue.snapshot().byId.get(serverId);
    if (!server || !needsOwnSecrets(server)) {
      throw new SoukError('not_found', { message: `There is no sign-in for ${serverId}` });
    }
    return server;
  }
  async function list(userId: string): Promise<UpstreamAccount[]> {
    const accounts = await signIn.list(userId, new Set(await preferences.readDisabled(userId)));
    const own = await personalTools.of(userId);
    return accounts.map((account) => {
      const server = catalogue.snapshot().byId.get(account.serverId);
      const part = server && own.part(server);
      if (!part || part === server) return account;
      const { prompts, resources, toolsUnderReview } = part;
      const counts = {
        tools: servedTools(part).length,
        prompts: prompts.length,
        resources: resources.length,
        toolsUnderReview: toolsUnderReview.length,
      };
      return { ...account, offers: counts };
    });
  }

  router.route(listUpstreamConnections, async ({ caller, params }) => {
    requireOwn(caller, params);
    return { success: true as const, connections: await list(caller.userId) };
  });

  router.route(startUpstreamSignIn, async ({ caller, params, reply }) => {
    requireOwn(caller, params);
    const started = await signIn.start(caller.userId, serverOf(params.serverId), { reply, enables: false });
    return { success: true as const, ...started };
  });

  router.route(putUpstreamHeaders, async ({ caller, params, body }) => {
    requireOwn(caller, params);
    const server = serverOf(params.serverId);
    await signIn.enterHeaders(caller.userId, server, body.headers);
    const connection = (await list(caller.userId)).find(({ serverId }) => serverId === server.id);
    if (!connection) throw new SoukError('not_found');
    return { success: true as const, connection };
  });

  router.route(deleteUpstreamConnection, async ({ caller, params }) => {
    requireOwn(caller, params);
    const server = serverOf(params.serverId);
    const { name } = server.manifest;
    const ended = await signIn.disconnect(caller.userId, server);
    return { success: true as const, message: ended ? `Disconnected from ${name}` : `${name} was not connected` };
  });

  router.route(finishUpstreamSignIn, async ({ caller, body, request, reply }) => {
    // The browser's cookie authenticates here, so pages of other origins are refused.
    if (request.headers.origin !== config.publicUrl) throw new SoukError('foreign_origin');
    const browser = browserOf(request, body.state);
    const { server, enables } = await signIn.finish({ userId: caller.userId, browser }, body);
    forgetBrowser(reply, body.state);
    if (enables) await preferences.switchOn(caller.userId, server.id);
    return { success: true as const, message: `Signed in to ${server.manifest.name}`, serverId: server.id };
  });
}

/** Serves our client metadata documents, one per server, if authorization servers can fetch them (https). */
export function mountClientDocument(
  app: FastifyInstance,
  { config, catalogue }: Pick<Parts, 'config' | 'catalogue'>,
): void {
  const { publicUrl } = config;
  if (!publicUrl.startsWith('https:')) return;
  app.get<{ Params: { serverId: string } }>(
    clientDocumentPath(':serverId'),
    async ({ params: { serverId } }, reply) => {
      if (!catalogue.snapshot().byId.has(serverId)) throw new SoukError('not_found');
      reply.header('cache-control', 'public, max-age=3600');
      const redirectUris = [redirectUriOf(publicUrl), redirectUriOf(publicUrl, { serverId })];
      return { client_id: `${publicUrl}${clientDocumentPath(serverId)}`, ...clientMetadata(config, redirectUris) };
    },
  );
}
