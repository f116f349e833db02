import {
  deleteProgramFiles,
  disableServer,
  enableServer,
  getMcpPreferences,
  getServerAccess,
  listProgramFiles,
  putMcpPreferences,
} from '@souk/contract/upstreams.ts';
import type { EntitlementPolicy } from '#features/billing/index.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { requireOwn } from '#platform/http/require-own.ts';
import type { Router } from '#platform/http/router.ts';
import type { PersonFiles } from '../processes/person-files.ts';
import type { UpstreamSignIn } from '../sign-in/create-upstream-sign-in.ts';
import type { Preferences } from './create-preferences.ts';

/** Mounts enable and disable, the list of switched-off servers, and a user's access to a server (spec part 2, section 4). */
export function mountPreferenceRoutes(
  router: Router,
  options: {
    catalogue: Catalogue;
    preferences: Preferences;
    signIn: UpstreamSignIn;
    files: PersonFiles;
    /** Decides who may use a server, and therefore switch it on and off. */
    entitlement: EntitlementPolicy;
  },
): void {
  const { catalogue, preferences, signIn, files } = options;

  function serverOf(serverId: string): CatalogueServer {
    const server = catalogue.snapshot().byId.get(serverId);
    if (!server) throw new SoukError('not_found', { message: `There is no server ${serverId}` });
    return server;
  }
  const isEntitled = async (userId: string, server: CatalogueServer) => (await options.entitlement(userId))(server);

  router.route(enableServer, async ({ caller, params, reply }) => {
    const server = serverOf(params.serverId);
    const { name } = server.manifest;
    if (!(await isEntitled(caller.userId, server))) throw new SoukError('forbidden');
    if (await signIn.isMissing(caller.userId, server)) {
      const started = await signIn.start(caller.userId, server, { reply, enables: true });
      // The end of the sign-in switches the server on, and the web app refetches then.
      return { success: false, message: `Sign in to ${name} to enable it`, requiresOAuth: true, ...started };
    }
    await preferences.switchOn(caller.userId, server.id);
    return { success: true, message: `${name} is enabled` };
  });

  router.route(disableServer, async ({ caller, params }) => {
    const server = serverOf(params.serverId);
    // Otherwise the user could switch it off but not on again.
    if (!(await isEntitled(caller.userId, server))) throw new SoukError('forbidden');
    await preferences.switchOff(caller.userId, server.id);
    return { success: true, message: `${server.manifest.name} is disabled` };
  });

  router.route(getMcpPreferences, async ({ caller, params }) => {
    requireOwn(caller, params);
    return { success: true as const, disabledServers: await preferences.readDisabled(caller.userId) };
  });

  router.route(putMcpPreferences, async ({ caller, params, body }) => {
    requireOwn(caller, params);
    const before = new Set(await preferences.readDisabled(caller.userId));
    const { byId } = catalogue.snapshot();
    // An unknown server that is already switched off may stay, because clients send the whole list.
    const unknown = body.disabledServers.find((id) => !byId.has(id) && !before.has(id));
    if (unknown !== undefined) {
      const message = `disabledServers: there is no server ${unknown}`;
      throw new SoukError('invalid_request', { message, issues: [{ path: 'disabledServers', message }] });
    }
    await preferences.replace(caller.userId, body.disabledServers);
    return { success: true as const, disabledServers: await preferences.readDisabled(caller.userId) };
  });

  router.route(getServerAccess, async ({ caller, params }) => {
    requireOwn(caller, params);
    const server = serverOf(params.serverId);
    const entitled = await isEntitled(caller.userId, server);
    const disabled = await preferences.readDisabled(caller.userId);
    const kept = files.isKeptBy(server) ? await files.list(caller.userId) : undefined;
    const enabled = entitled && !disabled.includes(server.id);
    return { success: true as const, entitled, enabled, ...(kept?.servers.length && { files: kept }) };
  });

  router.route(listProgramFiles, async ({ caller, params }) => {
    requireOwn(caller, params);
    return { success: true as const, files: await files.list(caller.userId) };
  });

  router.route(deleteProgramFiles, async ({ caller, params }) => {
    requireOwn(caller, params);
    if (!(await files.remove(caller.userId, params.serverId))) throw new SoukError('not_found');
    return { success: true as const };
  });
}
