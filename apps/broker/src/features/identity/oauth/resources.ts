import { serverIdSchema } from '@souk/contract/manifest/manifest-basics.ts';

/** Client id of our own web app (spec part 1, section 9). */
export const frontendClientId = 'frontend';

/** The protected resources of this installation, for which access tokens are issued (RFC 8707). */
export type Resources = {
  /** The REST API, for the web app's tokens. */
  api: string;
  /** The link of all servers. */
  mcp: string;
  ofServer(serverId: string): string;
  /** The server of a link; undefined for the link of all. */
  serverIdOf(resource: string): string | undefined;
  /** Whether `resource` is spelled like an MCP endpoint of ours; its server need not exist. */
  isMcp(resource: string): boolean;
  /** False for the link of a server that is not deployed. */
  exists(resource: string): boolean;
  /**
   * Returns the resource that a client means by a pasted address: without trailing slashes, and the MCP endpoint for
   * the bare origin. Anything else is returned unchanged and will be refused.
   */
  canonical(resource: string): string;
};

export function isServerId(text: string): boolean {
  return serverIdSchema.safeParse(text).success;
}

/** None of our addresses is longer. */
const maxResourceCharacters = 2048;

export function createResources(publicUrl: string, hasServer: (serverId: string) => boolean): Resources {
  const mcp = `${publicUrl}/mcp`;
  const prefix = `${publicUrl}/s/`;
  const suffix = '/mcp';
  const serverOf = (resource: string) =>
    resource.startsWith(prefix) && resource.endsWith(suffix)
      ? resource.slice(prefix.length, -suffix.length)
      : undefined;
  return {
    api: `${publicUrl}/api`,
    mcp,
    ofServer: (serverId) => `${publicUrl}/s/${serverId}/mcp`,
    serverIdOf: serverOf,
    isMcp(resource) {
      const serverId = serverOf(resource);
      return resource === mcp || (serverId !== undefined && isServerId(serverId));
    },
    exists(resource) {
      const serverId = serverOf(resource);
      return serverId === undefined || hasServer(serverId);
    },
    canonical(resource) {
      if (resource.length > maxResourceCharacters) return resource;
      const url = URL.parse(resource);
      if (!url || url.origin !== publicUrl || url.search !== '' || url.hash !== '') return resource;
      const path = withoutTrailingSlashes(url.pathname);
      return path === '' ? mcp : publicUrl + path;
    },
  };
}

/** Whether a client may get tokens for a resource: the web app for the API alone, every other for MCP endpoints alone. */
export function mayRequest(client: { clientId: string }, resource: string, resources: Resources): boolean {
  return client.clientId === frontendClientId ? resource === resources.api : resources.isMcp(resource);
}

/** Not a regular expression: `/\/+$/` takes quadratic time for slashes that something follows. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
