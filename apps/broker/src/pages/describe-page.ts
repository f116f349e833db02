import { legalPages, legalTitles, type LegalPage } from '@souk/contract/legal.ts';
import type { CatalogueServer, CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Config } from '#platform/config.ts';
import { boundText } from './bound-text.ts';
import { plainParagraphs, type LegalTexts } from './legal-texts.ts';
import type { PageFacts, Summary } from './page-facts.ts';
import { describeService, servicePath } from './service-page.ts';

/** Services in the marketplace's first HTML; the sitemap has all. */
const listedServices = 30;
/** Services on the home page (spec part 1, section 9). */
const firstServices = 6;
const serviceTextLength = 120;

export type DescribePage = (path: string, serviceId?: string) => PageFacts;

/** Describes each page of the web app by its pattern in the contract's pagePaths; any other address is not found. */
export function createDescribePage(
  config: Config,
  {
    snapshot,
    homeOrder,
    legal,
  }: { snapshot: () => CatalogueSnapshot; homeOrder: (count: number) => readonly CatalogueServer[]; legal: LegalTexts },
): DescribePage {
  const { brandName, publicUrl } = config;
  const sells = config.payments !== 'off';

  const links = (servers: readonly CatalogueServer[]): Summary['links'] =>
    servers.map(({ id, manifest }) => ({
      path: servicePath(id),
      name: manifest.name,
      text: boundText(manifest.description, serviceTextLength),
    }));

  const legalPage = (page: LegalPage): PageFacts => {
    const text = legal.get(page);
    if (!text) return notFound;
    const title = legalTitles[page];
    return {
      status: 200,
      title,
      description: `${title} of ${brandName}.`,
      canonicalPath: `/${page}`,
      summary: { heading: title, paragraphs: plainParagraphs(text.markdown), links: [] },
    };
  };

  const pages: Readonly<Record<string, () => PageFacts>> = {
    '/': () => ({
      status: 200,
      description: `One-click AI upgrade: paste one ${brandName} link into Claude, ChatGPT or any other AI client, and use every tool. No API keys, no secrets, no configuration.`,
      canonicalPath: '/',
      structured: [webSiteOf(brandName, publicUrl)],
      summary: {
        heading: 'One-click AI upgrade',
        paragraphs: [
          'Paste one link into Claude, ChatGPT or any other AI client, and every tool here is ready to use.',
          'No API keys, no secrets, no configuration.',
        ],
        links: [{ path: '/marketplace', name: 'Browse Servers' }, ...links(homeOrder(firstServices))],
      },
    }),
    '/marketplace': () => ({
      status: 200,
      title: 'All MCP Servers',
      description: `Browse the MCP servers on ${brandName}: what each one does, its tools and what it costs. Connect them to your AI client with one link.`,
      canonicalPath: '/marketplace',
      summary: {
        heading: 'All MCP Servers',
        paragraphs: [],
        links: links(snapshot().servers.slice(0, listedServices)),
      },
    }),
    '/plans': () =>
      sells
        ? {
            status: 200,
            title: 'Plans',
            description: `Plans and credits for the MCP servers on ${brandName}. Start free, change or cancel at any time.`,
            canonicalPath: '/plans',
            summary: { heading: 'Choose Your Plan', paragraphs: [], links: [] },
          }
        : notFound,
    '/about': () => ({
      status: 200,
      title: 'About',
      description: `What ${brandName} is and how it works: no secrets, no keys, no configuration. Open your LLM, add a link, go.`,
      canonicalPath: '/about',
      summary: { heading: 'Instant MCP Tools for Everyone', paragraphs: [], links: [] },
    }),
    '/contact': () => ({
      status: 200,
      title: 'Contact',
      description: `How to reach the people who run ${brandName}, and answers to common questions about sign-in, payment and Claude.`,
      canonicalPath: '/contact',
      summary: { heading: 'Contact', paragraphs: [config.supportEmail, config.businessEmail], links: [] },
    }),
    ...Object.fromEntries(legalPages.map((page) => [`/${page}`, () => legalPage(page)])),
    '/auth-shim': () => ({ status: 200, title: 'Maintenance' }),
    '/sign-in': () => ({ status: 200, title: 'Sign in' }),
    '/dashboard': () => ({ status: 200, title: 'Dashboard' }),
    '/admin': () => ({ status: 200, title: 'Administration' }),
    '/prices': () => ({ status: 200, title: 'Price changes' }),
    '/profile': () => ({ status: 200, title: 'Dashboard' }),
  };
  const samePage: Readonly<Record<string, string>> = { '/search': '/marketplace', '/support': '/contact' };

  return (path, serviceId) => {
    if (path === '/service/:serviceId') {
      const server = serviceId === undefined ? undefined : snapshot().byId.get(serviceId);
      return server ? describeService(server, publicUrl, sells) : unknownService;
    }
    return pages[samePage[path] ?? path]?.() ?? { status: 200 };
  };
}

export const notFound: PageFacts = { status: 404, title: 'Page not found' };

const unknownService: PageFacts = {
  status: 404,
  title: 'Server Not Found',
  summary: {
    heading: 'Server Not Found',
    paragraphs: [],
    links: [{ path: '/marketplace', name: 'Back to Marketplace' }],
  },
};

function webSiteOf(name: string, publicUrl: string) {
  return {
    '@context': 'https://schema.org',
    '@type': 'WebSite',
    name,
    url: `${publicUrl}/`,
    potentialAction: {
      '@type': 'SearchAction',
      target: { '@type': 'EntryPoint', urlTemplate: `${publicUrl}/marketplace?q={search_term_string}` },
      'query-input': 'required name=search_term_string',
    },
  };
}
