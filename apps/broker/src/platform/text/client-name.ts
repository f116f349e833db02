import { cleanLabel } from './clean-label.ts';

/** What programs call themselves in their user agent, where people know them by another name. */
const knownNames: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  geminicli: 'Gemini CLI',
  codex_cli_rs: 'Codex',
  node: 'Node.js',
  undici: 'Node.js',
};
/** Runtimes and libraries: their names do not tell which program uses them. */
const runtimes: ReadonlySet<string> = new Set(
  (
    'node undici node-fetch axios got deno bun python python-requests python-httpx httpx python-urllib python-urllib3 ' +
    'urllib3 aiohttp go-http-client okhttp java java-http-client apache-httpclient reqwest hyper curl libcurl wget ruby ' +
    'faraday guzzlehttp dart ktor-client restsharp cfnetwork'
  ).split(' '),
);
/** Parts of a browser's user agent that every browser and every program built on one has. */
const ofAnyBrowser: ReadonlySet<string> = new Set(
  'mozilla applewebkit khtml gecko chrome chromium electron safari version mobile'.split(' '),
);
/** Of what comes in: the rest is not even looked at. */
const longestText = 1024;
const longestUserAgent = 512;
const longestName = 80;

/** The first two numbers of a version, 2.1 of 2.1.330; empty for one that begins with no number. */
export function shortVersion(version: unknown): string {
  const [, first, second] = (typeof version === 'string' && /^v?(\d{1,5})(?:\.(\d{1,5}))?(?!\d)/.exec(version)) || [];
  if (first === undefined) return '';
  return second === undefined ? first : `${first}.${second}`;
}

/** "Claude Code 2.1": the name that a client gave itself, with its version. Both may still lie. */
export function clientName(name: string | null | undefined, version: unknown): string {
  const label = cleanLabel(name?.slice(0, longestText), longestName) || 'An application without a name';
  const short = shortVersion(version);
  return short === '' || label.endsWith(` ${short}`) ? label : `${label} ${short}`;
}

/**
 * What to call a program by its user agent: its first product that is not common to all browsers, with its version.
 * Linear in the text, which is cut and cleaned first.
 * @returns '' where there is none
 */
export function nameUserAgent(userAgent: string | null | undefined): string {
  const { name, version } = partsOf(ownProduct(userAgent));
  return name === '' ? '' : clientName(knownNames[name.toLowerCase()] ?? name, version);
}

/** Whether a user agent names a runtime or library alone, or nothing: it does not tell one program from another. */
export function namesNoProgram(userAgent: string | null | undefined): boolean {
  const { name } = partsOf(ownProduct(userAgent));
  return name === '' || runtimes.has(name.toLowerCase());
}

function ownProduct(userAgent: string | null | undefined): string {
  const words = cleanLabel(userAgent?.slice(0, longestText), longestUserAgent).split(' ');
  const products: string[] = [];
  let depth = 0;
  for (const word of words) {
    if (depth === 0 && !word.startsWith('(')) products.push(word);
    for (const character of word) depth += character === '(' ? 1 : character === ')' && depth > 0 ? -1 : 0;
  }
  const own = products.find((product) => !ofAnyBrowser.has(partsOf(product).name.toLowerCase()));
  return own ?? products[0] ?? '';
}

function partsOf(product: string): { name: string; version: string } {
  const slash = product.indexOf('/');
  if (slash === -1) return { name: product, version: '' };
  // "GeminiCLI-mode/0.61"
  const name = product.slice(0, slash);
  return { name: /^geminicli\b/i.test(name) ? 'GeminiCLI' : name, version: product.slice(slash + 1) };
}

/**
 * Names of several clients, the second of one name as "Claude Code 2.1 (2)".
 * @param clients oldest first, so that a name stays when others come
 */
export function distinctNames<T>(clients: readonly T[], nameOf: (client: T) => string): Map<T, string> {
  const seen = new Map<string, number>();
  return new Map(
    clients.map((client) => {
      const name = nameOf(client);
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      return [client, count === 1 ? name : `${name} (${count})`];
    }),
  );
}
