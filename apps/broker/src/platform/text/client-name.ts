import { cleanLabel } from './clean-label.ts';

/** Better known names of programs, by the name in their user agent. */
const knownNames: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  geminicli: 'Gemini CLI',
  codex_cli_rs: 'Codex',
  node: 'Node.js',
  undici: 'Node.js',
};
/** Runtimes and libraries, whose names do not tell which program uses them. */
const runtimes: ReadonlySet<string> = new Set(
  (
    'node undici node-fetch axios got deno bun python python-requests python-httpx httpx python-urllib python-urllib3 ' +
    'urllib3 aiohttp go-http-client okhttp java java-http-client apache-httpclient reqwest hyper curl libcurl wget ruby ' +
    'faraday guzzlehttp dart ktor-client restsharp cfnetwork'
  ).split(' '),
);
/** Parts of the user agents of all browsers, and of programs built on one. */
const browserProducts: ReadonlySet<string> = new Set(
  'mozilla applewebkit khtml gecko chrome chromium electron safari version mobile'.split(' '),
);
/** The rest of a longer text is ignored. */
const longestText = 1024;
const longestUserAgent = 512;
const longestName = 80;

/** Returns the first two numbers of a version, 2.1 for 2.1.330; '' if it begins with no number. */
export function shortVersion(version: unknown): string {
  const [, first, second] = (typeof version === 'string' && /^v?(\d{1,5})(?:\.(\d{1,5}))?(?!\d)/.exec(version)) || [];
  if (first === undefined) return '';
  return second === undefined ? first : `${first}.${second}`;
}

/** Combines the name and version that a client claims: "Claude Code 2.1". */
export function clientName(name: string | null | undefined, version: unknown): string {
  const label = cleanLabel(name?.slice(0, longestText), longestName) || 'An application without a name';
  const short = shortVersion(version);
  return short === '' || label.endsWith(` ${short}`) ? label : `${label} ${short}`;
}

/**
 * Names a program by its user agent: its first product that is not common to all browsers, with its version; '' if there is
 * none. Linear in the text, which is cut and cleaned first.
 */
export function nameUserAgent(userAgent: string | null | undefined): string {
  const { name, version } = partsOf(ownProduct(userAgent));
  return name === '' ? '' : clientName(knownNames[name.toLowerCase()] ?? name, version);
}

/** Whether a user agent names only a runtime or library, or nothing, and so does not identify a program. */
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
  const own = products.find((product) => !browserProducts.has(partsOf(product).name.toLowerCase()));
  return own ?? products[0] ?? '';
}

function partsOf(product: string): { name: string; version: string } {
  const slash = product.indexOf('/');
  if (slash === -1) return { name: product, version: '' };
  // "GeminiCLI-mode/0.61"
  const name = product.slice(0, slash);
  return { name: /^geminicli\b/i.test(name) ? 'GeminiCLI' : name, version: product.slice(slash + 1) };
}

/** Numbers clients of the same name: "Claude Code 2.1 (2)". @param clients oldest first, so that names stay when others are added */
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
