import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { startListServer, type ListServer } from '../features/catalogue/testing/list-server.ts';

let app: TestApp;
let folder: string;
let server: ListServer;

const unreachable = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
const hostile = {
  id: 'hostile',
  name: `</title><script>alert(1)</script>"'><img src=x onerror=alert(2)> $& $\` $'`,
  author: '--></script><script>alert(3)</script>',
  description: 'Ends here </script><!-- <h1>Free money</h1> " onload="alert(4)',
  icon: 'https://evil.example/a.png',
};

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'pages-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(
    join(folder, 'index.html'),
    '<head><meta name="souk-config" content="{}"><title>Souk</title></head><body><div id="root"></div></body>',
  );
  server = await startListServer('modern');
  const description = '</b></li></ul><script>alert(5)</script><!-- ';
  server.offer({ tools: [{ name: 'break_out', description, inputSchema: { type: 'object' } }] });
  app = await startTestApp({
    webFolder: folder,
    env: { BRAND_NAME: 'Bazaar' },
    allowAddresses: [server.address],
  });
  await deployManifest(app, { ...hostile, connection: { type: 'http', url: server.url } });
  const rental = { price: 900, currency: 'USD' };
  const common = { connection: unreachable, author: 'Ann' };
  await deployManifest(
    app,
    {
      id: 'rented',
      name: 'Rented',
      description: 'Word '.repeat(90).trim(),
      icon: '/oauth/mark.svg',
      billing: { tier: 'T1', rental },
      ...common,
    },
    'unasked',
  );
  await deployManifest(app, { id: 'planned', featured: 1, billing: { tier: 'T2' }, ...common }, 'unasked');
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const open = async (path: string) => {
  const answer = await fetch(`${app.publicUrl}${path}`, { headers: { accept: 'text/html' } });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};
const decode = (text: string | undefined) =>
  text?.replaceAll(/&#(\d+);/g, (_match, code) => String.fromCharCode(Number(code)));
const metaOf = (html: string, name: string) =>
  decode(new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(html)?.[1]);
const titleOf = (html: string) => decode(/<title>([^<]*)<\/title>/.exec(html)?.[1]);
const canonicalOf = (html: string) => /<link rel="canonical" href="([^"]*)">/.exec(html)?.[1];
const structuredOf = (html: string): Record<string, unknown>[] =>
  [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(([, json]) =>
    JSON.parse(json ?? ''),
  );

test.each([
  ['/', 'Bazaar', '/'],
  ['/marketplace', 'All MCP Servers - Bazaar', '/marketplace'],
  ['/marketplace?q=%3Cb%3E&type=data', 'All MCP Servers - Bazaar', '/marketplace'],
  ['/search?q=x', 'All MCP Servers - Bazaar', '/marketplace'],
  ['/plans', 'Plans - Bazaar', '/plans'],
  ['/about', 'About - Bazaar', '/about'],
  ['/contact', 'Contact - Bazaar', '/contact'],
  ['/support', 'Contact - Bazaar', '/contact'],
  ['/service/rented?tab=tools', 'Rented - Bazaar', '/service/rented'],
])('%s has its title, description and address in the HTML itself', async (path, title, canonical) => {
  const { status, text } = await open(path);
  expect(status).toBe(200);
  expect(titleOf(text)).toBe(title);
  const description = metaOf(text, 'description') ?? '';
  expect(description.length).toBeGreaterThan(40);
  expect(description.length).toBeLessThanOrEqual(200);
  expect(canonicalOf(text)).toBe(app.publicUrl + canonical);
  expect(metaOf(text, 'og:title')).toBe(title.replace(' - Bazaar', ''));
  expect(metaOf(text, 'og:description')).toBe(description);
  expect(metaOf(text, 'og:url')).toBe(app.publicUrl + canonical);
  expect(metaOf(text, 'og:site_name')).toBe('Bazaar');
  expect(metaOf(text, 'robots')).toBeUndefined();
  expect(text).toMatch(/<div id="root"><div data-shell>.*<h1>[^<]+<\/h1>/);
  const picture = await fetch(metaOf(text, 'og:image') ?? '');
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
});

test('the links of home are in the operator’s order, those of the marketplace by name', async () => {
  const linksOf = async (path: string) =>
    [...(await open(path)).text.matchAll(/<a href="\/service\/([^"]*)">/g)].map(([, id]) => id);
  expect(await linksOf('/')).toEqual(['planned', 'hostile', 'rented']);
  expect(await linksOf('/marketplace')).toEqual(['hostile', 'planned', 'rented']);
});

test.each([
  '/dashboard',
  '/profile',
  '/admin',
  '/sign-in',
  '/auth/callback?code=1',
  '/auth-shim',
  '/payment/result',
  '/prices',
  '/connect/x',
])('%s is excluded from search engines', async (path) => {
  const { status, text } = await open(path);
  expect([status, metaOf(text, 'robots'), canonicalOf(text)]).toEqual([200, 'noindex', undefined]);
});

test.each([
  ['/nowhere', 'Page not found - Bazaar'],
  ['/service/nothing', 'Server Not Found - Bazaar'],
  ['/service/%3Cscript%3E', 'Server Not Found - Bazaar'],
])('%s answers 404, says so in its title, and is excluded from search engines', async (path, title) => {
  const { status, text } = await open(path);
  expect([status, titleOf(text), metaOf(text, 'robots')]).toEqual([404, title, 'noindex']);
  expect(text).not.toContain('<script>');
});

test('a long description is cut at a word for search engines, and complete in the summary', async () => {
  const { text } = await open('/service/rented');
  expect(metaOf(text, 'description')).toMatch(/^(Word )+Word…$/);
  expect(text).toContain(`<p>${'Word '.repeat(90).trim()}</p>`);
});

test('a service is described as software with its price, and with its place in the shop', async () => {
  const [software, place] = structuredOf((await open('/service/rented')).text);
  const url = `${app.publicUrl}/service/rented`;
  expect(software).toMatchObject({
    '@type': 'SoftwareApplication',
    name: 'Rented',
    url,
    author: { '@type': 'Organization', name: 'Ann' },
    image: `${app.publicUrl}/oauth/mark.svg`,
    offers: { '@type': 'Offer', url, price: '9.00', priceCurrency: 'USD' },
  });
  expect(place).toMatchObject({ '@type': 'BreadcrumbList', itemListElement: [{ position: 1 }, { item: url }] });
  const [planned] = structuredOf((await open('/service/planned')).text);
  expect(planned, 'it has no price of its own').not.toHaveProperty('offers');
  const [free] = structuredOf((await open('/service/hostile')).text);
  expect(free).toMatchObject({ offers: { price: '0' } });
});

test('home is described as a searchable site', async () => {
  expect(structuredOf((await open('/')).text)).toMatchObject([
    { '@type': 'WebSite', name: 'Bazaar', url: `${app.publicUrl}/`, potentialAction: { '@type': 'SearchAction' } },
  ]);
});

test('a hostile manifest stays text in title, description, links, summary and structured data', async () => {
  for (const path of ['/service/hostile', '/', '/marketplace']) {
    const { text } = await open(path);
    const elements = [...text.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, name]) => name);
    expect(new Set(elements), path).not.toContain('img');
    const scripts = [...text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(
      scripts.filter(
        (tag) => tag !== '<script src="/oauth/theme.js">' && tag !== '<script type="application/ld+json">',
      ),
    ).toEqual([]);
    expect(text.match(/<title>/g), path).toHaveLength(1);
    expect(text.match(/<\/body>/g), path).toHaveLength(1);
    expect(text, path).not.toMatch(/<!--|evil\.example|\u202E|Free money<\/h1>/);
    expect(text.match(/<div id="root">/g), path).toHaveLength(1);
    // only attributes that we write
    const written = text.replaceAll(/<script type[^>]*>.*?<\/script>/gs, '').replaceAll(/"[^"]*"/g, '""');
    expect(written, path).not.toMatch(/<[^>]*\son\w+=/);
  }
  const { text } = await open('/service/hostile');
  expect(text, 'its tool').toContain('<b>break_out</b> &#60;/b&#62;');
  expect(titleOf(text)).toBe(`${hostile.name} - Bazaar`);
  expect(metaOf(text, 'og:title')).toBe(hostile.name);
  const [software] = structuredOf(text);
  expect(software).toMatchObject({ name: hostile.name, author: { name: hostile.author } });
});

test('/sitemap.xml has every public page and every deployed service, and follows the catalogue', async () => {
  const addresses = async () =>
    [...(await open('/sitemap.xml')).text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, a]) => a);
  const expected = [
    '/',
    '/marketplace',
    '/plans',
    '/about',
    '/contact',
    '/terms',
    '/privacy',
    '/refunds',
    '/service/hostile',
    '/service/planned',
  ];
  const at = (paths: readonly string[]) => paths.map((path) => app.publicUrl + path);
  expect(await addresses()).toEqual(at([...expected, '/service/rented']));
  expect((await open('/sitemap.xml')).type).toBe('application/xml; charset=utf-8');
  await deployManifest(app, { id: 'zebra', connection: unreachable }, 'unasked');
  onTestFinished(async () => {
    await app.catalogue.undeploy('zebra', { via: 'command' });
  });
  expect(await addresses()).toEqual(at([...expected, '/service/rented', '/service/zebra']));
  for (const address of await addresses()) expect((await fetch(address ?? '')).status, address).toBe(200);
});

test('/robots.txt lets crawlers read pages and what they load, and names the sitemap', async () => {
  const { status, type, text } = await open('/robots.txt');
  expect([status, type]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toContain(`\nSitemap: ${app.publicUrl}/sitemap.xml\n`);
  const disallowed = [...text.matchAll(/^Disallow: (.*)$/gm)].map(([, path]) => path ?? '');
  for (const path of ['/', '/service/x', '/assets/a.js', '/mcp/capabilities', '/icons/x.png', '/oauth/theme.js'])
    expect(disallowed.filter((prefix) => path.startsWith(prefix))).toEqual([]);
});

test('a shop that sells nothing has no page of plans and no price', async () => {
  const other = await startTestApp({ webFolder: folder, env: { PAYMENTS: 'off' } });
  await deployManifest(other, { id: 'free', connection: unreachable }, 'unasked');
  const plans = await fetch(`${other.publicUrl}/plans`, { headers: { accept: 'text/html' } });
  expect([plans.status, titleOf(await plans.text())]).toEqual([404, 'Page not found - Souk']);
  expect(await (await fetch(`${other.publicUrl}/sitemap.xml`)).text()).not.toContain('/plans');
  const [service] = structuredOf(await (await fetch(`${other.publicUrl}/service/free`)).text());
  expect(service).not.toHaveProperty('offers');
  await other.stop();
});
