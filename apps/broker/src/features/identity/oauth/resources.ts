import { serverIdSchema } from '@souk/contract/manifest.ts';

/** Client id of our own web app (spec part 1, section 9). */
export const frontendClientId = 'frontend';

/** The protected resources of this installation: what an access token can be for (RFC 8707). */
export type Resources = {
  /** The REST API, for the web app's tokens. */
  api: string;
  /** Everything that a person may use. */
  mcp: string;
  /** One server. */
  ofServer(serverId: string): string;
  /** Whether `resource` is an MCP endpoint of ours, spelled exactly. The server need not exist: that is its endpoint's answer. */
  isMcp(resource: string): boolean;
  /**
   * The resource that a client means: a trailing slash goes, and the bare origin is the MCP endpoint. Clients spell the
   * pasted address in these ways; anything else comes back as it is and will be refused.
   */
  canonical(resource: string): string;
};

export function isServerId(text: string): boolean {
  return serverIdSchema.safeParse(text).success;
}

export function createResources(publicUrl: string): Resources {
  const mcp = `${publicUrl}/mcp`;
  return {
    api: `${publicUrl}/api`,
    mcp,
    ofServer: (serverId) => `${publicUrl}/s/${serverId}/mcp`,
    isMcp(resource) {
      if (resource === mcp) return true;
      if (!resource.startsWith(`${publicUrl}/s/`) || !resource.endsWith('/mcp')) return false;
      return isServerId(resource.slice(`${publicUrl}/s/`.length, -'/mcp'.length));
    },
    canonical(resource) {
      const url = URL.parse(resource);
      if (!url || url.origin !== publicUrl || url.search !== '' || url.hash !== '') return resource;
      const path = url.pathname.replace(/\/+$/, '');
      return path === '' ? mcp : publicUrl + path;
    },
  };
}
