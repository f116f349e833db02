import { presentServer, servedTools, type CatalogueServer } from '#features/catalogue/index.ts';
import { boundText } from './bound-text.ts';
import type { PageFacts, StructuredData } from './page-facts.ts';

/** About as much of a description as search engines show. */
const descriptionLength = 160;
/** Tools in the summary. A server may have 512. */
const shownTools = 20;
const toolTextLength = 120;

export const servicePath = (serverId: string): string => `/service/${serverId}`;

/** Describes the page of a deployed service. @param sells whether prices are shown */
export function describeService(server: CatalogueServer, publicUrl: string, sells: boolean): PageFacts {
  const { manifest } = server;
  const tools = servedTools(server);
  const { icon } = presentServer(server).metadata;
  return {
    status: 200,
    title: manifest.name,
    description: boundText(manifest.description, descriptionLength),
    canonicalPath: servicePath(server.id),
    structured: [softwareOf(server, icon, publicUrl, sells), placeOf(server, publicUrl)],
    summary: {
      heading: manifest.name,
      paragraphs: [manifest.description, `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} available`],
      links: [{ path: '/marketplace', name: 'All MCP Servers' }],
      items: tools.slice(0, shownTools).map(({ name, definition }) => ({
        name,
        text: boundText(String(definition['description'] ?? ''), toolTextLength),
      })),
    },
  };
}

function softwareOf(
  server: CatalogueServer,
  icon: string | undefined,
  publicUrl: string,
  sells: boolean,
): StructuredData {
  const { manifest } = server;
  const url = `${publicUrl}${servicePath(server.id)}`;
  const price = priceOf(server);
  return {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    name: manifest.name,
    description: manifest.description,
    url,
    applicationCategory: 'DeveloperApplication',
    operatingSystem: 'Any',
    softwareVersion: manifest.version,
    ...(manifest.author !== undefined && { author: { '@type': 'Organization', name: manifest.author } }),
    ...(icon !== undefined && { image: `${publicUrl}${icon}` }),
    ...(sells && price && { offers: { '@type': 'Offer', url, ...price } }),
  };
}

/** Returns the price of the service alone; undefined if it is only available with a plan. */
function priceOf({ manifest: { billing } }: CatalogueServer): StructuredData | undefined {
  if (!billing || billing.tier === 'T0') return { price: '0', priceCurrency: billing?.rental?.currency ?? 'USD' };
  if (!billing.rental) return undefined;
  return { price: (billing.rental.price / 100).toFixed(2), priceCurrency: billing.rental.currency };
}

function placeOf({ id, manifest }: CatalogueServer, publicUrl: string): StructuredData {
  return {
    '@context': 'https://schema.org',
    '@type': 'BreadcrumbList',
    itemListElement: [
      { '@type': 'ListItem', position: 1, name: 'Marketplace', item: `${publicUrl}/marketplace` },
      { '@type': 'ListItem', position: 2, name: manifest.name, item: `${publicUrl}${servicePath(id)}` },
    ],
  };
}
