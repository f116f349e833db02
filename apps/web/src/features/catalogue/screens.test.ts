import { beforeAll, describe, expect, test } from 'vitest';
import { loadScreens, renderScreen, textOf, type Catalogue, type Screens } from './testing/render-screen.ts';
import { testCapability, testServer } from './testing/test-server.ts';

let screens: Screens;
beforeAll(async () => {
  screens = await loadScreens();
});

const rental = { price: 900, currency: 'USD', name: 'Travel, monthly', description: '' };
const travel = testServer({
  serverId: 'travel',
  displayName: 'Travel',
  displayDescription: 'Airports and distances.',
  billing: { tier: 'T2', rental, features: ['Airports'] },
  capabilities: { tools: 2, prompts: 1, resources: 0 },
});
const notes = testServer({ serverId: 'notes', displayName: 'Notes', status: 'error' });
const echo = testServer({ serverId: 'echo', displayName: 'Echo', status: 'disconnected' });
const catalogue: Catalogue = {
  servers: [travel, notes, echo],
  capabilities: [
    testCapability({ serverId: 'travel', name: 'find_airport', displayDescription: 'Finds one.', creditCost: 0 }),
    testCapability({ serverId: 'travel', name: 'plan_trip', displayDescription: 'Plans it.', creditCost: 3 }),
  ],
};
const empty: Catalogue = { servers: [], capabilities: [] };

const home = (loaded?: Catalogue | Error) =>
  renderScreen(screens, screens.HomeScreen, { clients: ['Claude'], connectPanel: 'the connect panel' }, loaded);
const market = (search: object, loaded?: Catalogue | Error) =>
  renderScreen(screens, screens.MarketplaceScreen, { search, onSearchChange: () => {} }, loaded);
const service = (serviceId: string, loaded?: Catalogue | Error) =>
  renderScreen(
    screens,
    screens.ServiceScreen,
    {
      serviceId,
      isMember: false,
      triedTool: undefined,
      access: (server) => `connect ${server.serverId}`,
      toolsOfAccount: () => 'the tools of your account',
      tryTool: () => 'the form of a tool',
    },
    loaded,
  );
const footer = (signedIn: boolean) =>
  renderScreen(screens, screens.Footer, { signedIn, links: [{ label: 'Marketplace', to: '/marketplace' }] }, catalogue);

describe('a server with different tools for each user', () => {
  const drive = testServer({
    serverId: 'drive',
    requires: 'sign_in',
    capabilities: { tools: 0, prompts: 0, resources: 0 },
  });
  const ofDrive = { servers: [drive], capabilities: [] };

  test('its page shows "the tools of your account" instead of none, and counts none', async () => {
    const text = textOf(await service('drive', ofDrive));
    expect(text).toContain('Tools Available the tools of your account');
    expect(text).toContain('Total Tools Depends on your account');
    expect(text).not.toContain('This server has no tools.');
  });

  test('its card says when tools appear', async () => {
    expect(textOf(await market({}, ofDrive))).toContain('Tools after sign-in · 0 prompts');
    const approved = { ...drive, capabilities: { tools: 3, prompts: 0, resources: 0 } };
    expect(textOf(await market({}, { ...ofDrive, servers: [approved] }))).toContain('3 tools · 0 prompts');
  });
});

describe('the tools of a page that shows fewer than the server has', () => {
  const page = async (change: object) => {
    const server = testServer({ serverId: 'shed', capabilities: { tools: 0, prompts: 0, resources: 0 }, ...change });
    return textOf(await service('shed', { servers: [server], capabilities: [] }));
  };

  test('those under review are counted, with what they wait for', async () => {
    const one = await page({ toolsUnderReview: 1 });
    expect(one).toContain('None of its tools is approved yet.');
    expect(one).toContain("1 tool is new or has changed. It's hidden until an administrator approves it.");
    const server = { ...travel, toolsUnderReview: 2 };
    const two = textOf(await service('travel', { ...catalogue, servers: [server] }));
    expect(two).toContain("2 tools are new or have changed. They're hidden until an administrator approves them.");
    expect(two).toContain('find_airport');
    expect(textOf(await service('travel', catalogue))).not.toContain('administrator approves');
  });

  test('those that only some clients list are counted separately, with what they ask', async () => {
    const server = { ...travel, askingTools: 1 };
    const [plain, asking] = catalogue.capabilities;
    if (!plain || !asking) throw new Error('the catalogue has two tools');
    const some = { servers: [server], capabilities: [plain, { ...asking, asks: 'form' as const }] };
    const text = textOf(await service('travel', some));
    expect(text).toContain(
      'Tools Available 1 1 more asks you something while it runs. Your AI client lists it if it can show such questions.',
    );
    expect(text).toContain('plan_trip Asks you questions');
    expect(text).toContain('Total Tools 1, 1 more that asks');
    expect(textOf(await market({}, some))).toContain('1 tool · 1 prompt');
    expect(textOf(await service('travel', catalogue))).not.toContain('asks you');
  });

  test('a server that was never reached is not shown as having none', async () => {
    expect(await page({ status: 'disconnected' })).toContain('Its tools appear here once it can be reached.');
    expect(await page({ status: 'connected' })).toContain('This server has no tools.');
  });

  test('the reason why definitions are left out is next to the status', async () => {
    const statusDetail = 'The tool “ill” is left out: annotations is not valid.';
    expect(await page({ status: 'connected', statusDetail })).toContain(`Status connected ${statusDetail}`);
  });
});

describe('home', () => {
  test('[GEN-1] [GEN-2] [GEN-3] The tagline, the promises and the link that is pasted into an AI client', async () => {
    const text = textOf(await home(catalogue));
    expect(text).toContain('One-click AI upgrade');
    expect(text).toContain('No API keys, no secrets, no configuration.');
    expect(text).toMatch(/Paste one link into Claude, ChatGPT .* every tool here is ready to use/);
  });

  test("[HOME-1] The hero has a 'Browse Servers' button that leads to /marketplace", async () => {
    expect(await home(catalogue)).toMatch(/<a[^>]*href="\/marketplace"[^>]*>Browse Servers<\/a>/);
  });

  test("[HOME-2] [HOME-3] The 'Search & Filter' box has a type select with its four options", async () => {
    const html = await home(catalogue);
    expect(textOf(html)).toContain('Search & Filter');
    const select = /<select[^>]*name="type".*?<\/select>/.exec(html)?.[0] ?? '';
    expect(textOf(select)).toBe('All Types API Services Data Sources Productivity');
  });

  test("[HOME-5] The first 6 servers are shown as cards, in the operator's order", async () => {
    const ids = ['s7', 's1', 's6', 's0', 's5', 's2', 's4', 's3'];
    const servers = ids.map((serverId) => testServer({ serverId, displayName: `Server ${serverId}` }));
    const html = await home({ servers, capabilities: [] });
    const names = [...html.matchAll(/<article.*?<h3[^>]*>(.*?)<\/h3>/gs)].map(([, name = '']) => textOf(name));
    expect(names).toEqual(ids.slice(0, 6).map((id) => `Server ${id}`));
    // cards are rendered in parts: each has its place in the list
    const list = html.slice(html.indexOf('>Servers</h2>'), html.indexOf('View All Servers'));
    expect(list.match(/<li/g)).toHaveLength(6);
  });

  test("[HOME-8] [HOME-9] A card shows name, counts and description, and links 'View Details' to /service/{serverId}", async () => {
    const card = cardOf(await home(catalogue), 'Travel');
    expect(textOf(card)).toMatch(/Travel .*Airports and distances\. .*2 tools · 1 prompt View Details/);
    expect(card).toContain('href="/service/travel"');
  });

  test('[HOME-6] [HOME-7] A card shows the icon, or the first letter of the name if there is none', async () => {
    const metadata = { ...travel.metadata, icon: 'https://icons.example/travel.png' };
    const html = await home({ ...catalogue, servers: [{ ...travel, metadata }, notes] });
    expect(cardOf(html, 'Travel')).toContain('src="https://icons.example/travel.png"');
    expect(cardOf(html, 'Notes')).not.toContain('<img');
    expect(textOf(cardOf(html, 'Notes'))).toMatch(/^N Notes/);
  });

  test('[HOME-10] While loading, 6 placeholder cards show', async () => {
    const html = await home();
    const placeholders = html.slice(html.indexOf('server-placeholders'));
    expect(placeholders.match(/data-testid="server-placeholder"/g)).toHaveLength(6);
    expect(html).not.toContain('<article');
  });

  test("[HOME-11] A 'View All Servers' button leads to the marketplace", async () => {
    expect(await home(catalogue)).toMatch(/<a[^>]*href="\/marketplace"[^>]*>View All Servers<\/a>/);
  });

  test('[HOME-12] [HOME-13] Platform Features names its three, and the FAQ has 4 questions', async () => {
    const html = await home(catalogue);
    expect(textOf(html)).toMatch(/Platform Features Instant Setup .*Enterprise Security .*Growing Community/);
    expect(html.slice(html.indexOf('Frequently Asked Questions')).match(/aria-expanded/g)).toHaveLength(4);
  });

  test('if the servers cannot be loaded, the rest of the page stays', async () => {
    const text = textOf(await home(new Error('Network error occurred')));
    expect(text).toContain('Failed to load MCP servers Network error occurred Retry');
    expect(text).toContain('the connect panel');
  });
});

describe('footer', () => {
  test('[HOME-15] [HOME-16] The footer has quick links, and the support and the business contact', async () => {
    const html = await footer(true);
    expect(textOf(html)).toContain('Quick links Marketplace');
    expect(html).toContain('href="mailto:support@souk.test"');
    expect(html).toContain('href="mailto:business@souk.test"');
  });

  test('[HOME-17] [HOME-18] [HOME-21] The stats line is shown only to visitors, and its active servers are the connected ones', async () => {
    expect(textOf(await footer(false))).toContain('3 servers · 2 capabilities · 1 active');
    expect(textOf(await footer(true))).not.toContain('capabilities');
  });
});

describe('marketplace', () => {
  test("[MKT-4] [MKT-6] [MKT-8] 'All MCP Servers', a Refresh button and the counter", async () => {
    const text = textOf(await market({}, catalogue));
    expect(text).toMatch(/^All MCP Servers Showing 3 of 3 servers Live Refresh/);
  });

  test('[MKT-8] X counts the servers that match on all pages, Y the deployed servers', async () => {
    const names = Array.from({ length: 31 }, (_, index) => (index < 26 ? `Travel ${index}` : `Notes ${index}`));
    const servers = names.map((displayName, index) => testServer({ serverId: `s${index}`, displayName }));
    const many = { servers, capabilities: [] };
    for (const [search, counter] of [
      [{}, 'Showing 31 of 31 servers'],
      [{ page: 2 }, 'Showing 31 of 31 servers'],
      [{ q: 'travel' }, 'Showing 26 of 31 servers'],
      [{ q: 'travel', page: 2 }, 'Showing 26 of 31 servers'],
    ] as const) {
      const status = /<span role="status"[^>]*>(.*?)<\/span>/s.exec(await market(search, many));
      expect(status?.[1], JSON.stringify(search)).toBe(counter);
    }
  });

  test('[MKT-5] With a search the title is \'Search results for "{q}"\'', async () => {
    const text = textOf(await market({ q: 'travel <b>' }, catalogue));
    expect(text).toMatch(/^Search results for "travel &lt;b&gt;" Showing 0 of 3 servers/);
  });

  test('[MKT-9] [MKT-10] [MKT-12] A card shows status, counts, tier and monthly rental price, and links to /service/{id}', async () => {
    const card = cardOf(await market({}, catalogue), 'Travel');
    expect(textOf(card)).toMatch(/Travel connected .*T2 Professional \$9\/month Purchase Travel 2 tools · 1 prompt/);
    expect(card).toContain('href="/service/travel"');
  });

  test('[MKT-11] A card of a server without billing shows no rental price', async () => {
    expect(textOf(cardOf(await market({}, catalogue), 'Notes'))).not.toMatch(/\/month|T0/);
  });

  test('a card shows the status of its server as a word', async () => {
    const html = await market({}, catalogue);
    expect(textOf(cardOf(html, 'Travel'))).toMatch(/\bconnected\b/);
    expect(textOf(cardOf(html, 'Echo'))).toMatch(/\bdisconnected\b/);
    expect(textOf(cardOf(html, 'Notes'))).toMatch(/\berror\b/);
  });

  test('[MKT-13] [MKT-14] [MKT-15] The empty state, while searching and without a search', async () => {
    expect(textOf(await market({ q: 'zzz' }, catalogue))).toContain(
      'No servers found Try adjusting your search query.',
    );
    expect(textOf(await market({}, empty))).toContain('No servers found No MCP servers are currently available.');
  });

  test("[MKT-24] A failed load shows 'Failed to load MCP servers', why, and a retry", async () => {
    const text = textOf(await market({}, new Error('Network error occurred')));
    expect(text).toContain('Failed to load MCP servers Network error occurred Retry');
  });
});

describe('the live variant', () => {
  const live = (search: object, loaded?: Catalogue | Error) => market({ ...search, view: 'live' }, loaded);

  test('[LIVE-2] [LIVE-3] [LIVE-6] has its title, subtitle and counter', async () => {
    expect(textOf(await live({}, catalogue))).toMatch(
      /^Live MCP Servers Currently running MCP servers with real-time status Showing 3 of 3 servers/,
    );
    expect(textOf(await live({ q: 'tra' }, catalogue))).toMatch(/^Live MCP Servers .* Showing 1 of 3 servers/);
  });

  test('[LIVE-7] [LIVE-8] [LIVE-9] [LIVE-10] a card shows icon or initial, status, tools, Updated and View Details', async () => {
    const metadata = { ...travel.metadata, icon: '/icons/travel.png' };
    const html = await live({}, { ...catalogue, servers: [{ ...travel, metadata }, notes] });
    expect(cardOf(html, 'Travel')).toContain('src="/icons/travel.png"');
    expect(textOf(cardOf(html, 'Notes'))).toMatch(/^N Notes 1 tool error Updated: .+ ago View Details : Notes$/);
    expect(cardOf(html, 'Notes')).toContain('href="/service/notes"');
    expect(cardOf(html, 'Notes'), 'the time itself').toContain('dateTime="2026-11-21T03:00:00.000Z"');
  });

  test("[LIVE-11] the empty state is 'No MCP Servers Found'", async () => {
    expect(textOf(await live({ q: 'zzz' }, catalogue))).toContain('No MCP Servers Found');
    expect(textOf(await live({}, empty))).toContain('No MCP Servers Found');
  });
});

describe('service', () => {
  test('[SVC-2] [SVC-3] [SVC-4] A back link, name, status, description and the count of tools', async () => {
    const html = await service('travel', catalogue);
    expect(html).toMatch(/<a[^>]*href="\/marketplace"/);
    expect(textOf(html)).toMatch(
      /Back to Marketplace .*Travel connected .*Airports and distances\. .*Tools Available 2/,
    );
    expect(textOf(html)).toContain('connect travel');
  });

  test('[SVC-5] [SVC-6] [SVC-7] Tools are shown with description and cost', async () => {
    const text = textOf(await service('travel', catalogue));
    expect(text).toMatch(/find_airport Finds one\. Free to use/);
    expect(text).toMatch(/plan_trip Plans it\. 3 credits per call/);
  });

  test('[SVC-8] Server Information shows Status, Last Updated and Total Tools', async () => {
    expect(textOf(await service('travel', catalogue))).toMatch(
      /Server Information Status connected .* Total Tools 2 .* Last Updated Nov \d+, 2026, /,
    );
  });

  test("[SVC-9] The error view says 'Server Not Found', why, and has a 'Back to Marketplace' button", async () => {
    expect(textOf(await service('nope', catalogue))).toContain(
      'Server Not Found The broker has no nope Back to Marketplace',
    );
  });

  test("[SVC-10] Without an id the error is 'No server ID provided'", async () => {
    expect(textOf(await service('', catalogue))).toContain('Server Not Found No server ID provided');
  });

  test("[SVC-13] Any other failure to load is 'Failed to load server details'", async () => {
    const text = textOf(await service('travel', new Error('Network error occurred')));
    expect(text).toContain('Failed to load server details Network error occurred Retry');
  });
});

function cardOf(html: string, name: string): string {
  const cards = html.split('<article').slice(1);
  const card = cards.find((part) => part.includes(`title="${name}"`)) ?? '';
  return `<article${card.split('</article>')[0] ?? ''}`;
}
