import { monthlyText } from '@souk/contract/billing/currencies.ts';
import { asRecord } from '#platform/json.ts';
import { tiers, tierSchema } from '@souk/contract/tiers.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { Change } from './compare-manifests.ts';

/** Longest value in a sentence. The whole value is shown next to it. */
const maxCharacters = 120;

type Say = (value: unknown, currency: string) => string;

const plain = (value: unknown) => cut(typeof value === 'string' ? value : JSON.stringify(value));
const quoted: Say = (value) => (typeof value === 'string' ? `"${cut(value)}"` : plain(value));
/** Omits the unit, which follows the last value. */
const creditCount: Say = (value) => plain(value);
const announcement: Say = (value) => {
  const { credits, from } = asRecord(value) ?? {};
  return `${plain(credits)} ${credits === 1 ? 'credit' : 'credits'} a call from ${plain(from)}`;
};
const yesOrNo: Say = (value) => (value === true ? 'yes' : 'no');
const seconds: Say = (value) => (typeof value === 'number' ? `${value / 1000} s` : plain(value));
const days: Say = (value) => (value === 1 ? '1 day' : `${String(value)} days`);
const named =
  (names: Readonly<Record<string, string>>): Say =>
  (value) =>
    names[String(value)] ?? plain(value);

const fields: Readonly<Record<string, readonly [name: string, say: Say]>> = {
  name: ['name', quoted],
  serviceType: ['service type', plain],
  version: ['version', plain],
  author: ['author', quoted],
  description: ['description', quoted],
  icon: ['icon', plain],
  registryName: ['name in the registry', plain],
  slug: ["first part of its tools' names", plain],
  category: ['category', plain],
  featured: ['place on the home page', plain],
  'connection.type': ['connection type', plain],
  'connection.url': ['address', plain],
  'connection.command': ['program', plain],
  isolation: ['connections', named({ shared: 'one for everyone', perUser: 'one for each person' })],
  asks: ["what it may ask a person's client", plain],
  'auth.type': [
    'sign-in',
    named({ none: 'none', oauth: 'with an account of each person', headers: 'with secrets in headers' }),
  ],
  'auth.clientId': ['OAuth client', plain],
  'auth.scopes': ['OAuth scopes', plain],
  'auth.issuer': ['authorization server', plain],
  'auth.endpointOrigins': ['other origins of the authorization server', plain],
  'deadlines.connectMs': ['time limit of a connection', seconds],
  'deadlines.listMs': ['time limit of a list', seconds],
  'deadlines.callMs': ['time limit of a call', seconds],
  maxInFlight: ['concurrent calls', plain],
  toolChanges: ['tool policy', plain],
  validateResults: ['results are compared with the outputSchema of their tool', yesOrNo],
  'billing.tier': ['tier', named(Object.fromEntries(tierSchema.options.map((tier) => [tier, tierText(tier)])))],
  'billing.rental.price': ['rental price', (value, currency) => monthly(value, currency)],
  'billing.rental.currency': ['rental currency', plain],
  'billing.rental.name': ['name of the rental', quoted],
  'billing.rental.description': ['description of the rental', quoted],
  'billing.trialDays': ['trial', days],
  'billing.chargeOnErrors': ['calls that answer with an error are charged', yesOrNo],
  features: ['features', quoted],
};

export function tierText(tier: keyof typeof tiers): string {
  return `${tier} (${tiers[tier].name})`;
}

/** Price of a rental. @param minor cents */
export function monthly(minor: unknown, currency: string): string {
  return typeof minor === 'number' ? monthlyText(minor, currency) : plain(minor);
}

/** Describes one difference, such as "price of `search`: 3 -> 5 credits a call". */
export function sayChange(
  { path, before, after }: Change,
  currencies: { before: string; after: string } = { before: 'USD', after: 'USD' },
): string {
  const [name, say] = priceOfTool(path) ?? fields[path.join('.')] ?? [nameOf(path), quoted];
  const credits = say === creditCount;
  const unit = (value: unknown) => (credits ? (value === 1 ? ' credit a call' : ' credits a call') : '');
  if (isListOfTexts(before ?? after) && isListOfTexts(after ?? before))
    return `${name}: ${sayLists(listOf(before), listOf(after))}`;
  if (before === undefined) return `${name}: ${say(after, currencies.after)}${unit(after)}`;
  const was = say(before, currencies.before);
  if (after === undefined) return `${name}: removed (was ${was}${unit(before)})`;
  return `${name}: ${was} -> ${say(after, currencies.after)}${unit(after)}`;
}

function priceOfTool([area, prices, tool, field]: readonly string[]): readonly [string, Say] | undefined {
  if (area !== 'billing' || tool === undefined) return undefined;
  if (prices === 'toolCosts') return [`price of \`${cut(tool)}\``, creditCount];
  if (prices !== 'announcedPrices') return undefined;
  const name = `announced price of \`${cut(tool)}\``;
  if (field === undefined) return [name, announcement];
  return field === 'from' ? [`date of the ${name}`, plain] : [name, creditCount];
}

function nameOf(path: readonly string[]): string {
  const [area, kind, item, ...rest] = path;
  if (area === 'capabilitySnapshot' && kind !== undefined && item !== undefined) {
    return [
      `${kind.replace(/s$/, '')} \`${cut(item)}\` of the snapshot`,
      ...(rest.length > 0 ? [cut(rest.join('.'))] : []),
    ].join(', ');
  }
  if (area === 'auth' && kind === 'headers' && item !== undefined) {
    return [`header ${cut(item)}`, ...rest.map(cut)].join(', ');
  }
  return cut(path.join('.'));
}

function sayLists(before: readonly string[], after: readonly string[]): string {
  const [was, is] = [new Set(before), new Set(after)];
  const added = [...is].filter((text) => !was.has(text)).map((text) => `added "${cut(text)}"`);
  const removed = [...was].filter((text) => !is.has(text)).map((text) => `removed "${cut(text)}"`);
  const said = [...added, ...removed];
  if (said.length === 0) return 'in another order';
  const shown = said.slice(0, maxSaid).join(', ');
  return said.length > maxSaid ? `${shown} and ${said.length - maxSaid} more` : shown;
}

const maxSaid = 10;

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((member) => typeof member === 'string');
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Cleans and shortens a text: manifests contain no secrets, but untrusted texts. */
function cut(text: string): string {
  const shown = cleanLabel(text.slice(0, 4 * maxCharacters), maxCharacters + 1);
  return shown.length > maxCharacters ? `${shown.slice(0, maxCharacters)}…` : shown;
}
