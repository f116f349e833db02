import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import {
  getLinkCard,
  getServerCard,
  serverCardSchemaUrl,
  type ServerCard,
} from '@souk/contract/catalogue/server-card.ts';
import { registryText, type Catalogue } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import { modernRevision } from '../protocol/modern-revision.ts';
import type { IdentityOf } from '../protocol/server-identity.ts';

const supportedProtocolVersions = [modernRevision, ...SUPPORTED_PROTOCOL_VERSIONS];

/**
 * Serves the card of each link, from memory. It agrees with what clients of the link are told, and names no tools: the draft
 * requires both.
 */
export function mountServerCards(
  router: Router,
  parts: { publicUrl: string; brandName: string; identityOf: IdentityOf; catalogue: Pick<Catalogue, 'snapshot'> },
): void {
  const { publicUrl, brandName, identityOf, catalogue } = parts;
  function present(
    serverId: string | undefined,
    said: { description: string; page: string; path: string },
  ): ServerCard {
    const { name, title, version } = identityOf(serverId);
    return {
      $schema: serverCardSchemaUrl,
      name,
      title: registryText(title),
      description: registryText(said.description),
      version,
      websiteUrl: publicUrl + said.page,
      remotes: [{ type: 'streamable-http', url: publicUrl + said.path, supportedProtocolVersions }],
    };
  }

  router.route(getServerCard, ({ params: { serverId } }) => {
    const server = catalogue.snapshot().byId.get(serverId);
    if (!server) throw new SoukError('not_found', { message: `There is no service ${serverId}` });
    const { description } = server.manifest;
    return present(serverId, { description, page: `/service/${serverId}`, path: `/s/${serverId}/mcp` });
  });
  router.route(getLinkCard, () => {
    const description = `Every service of ${brandName} that you may use, behind one link`;
    return present(undefined, { description, page: '/connect', path: '/mcp' });
  });
}
