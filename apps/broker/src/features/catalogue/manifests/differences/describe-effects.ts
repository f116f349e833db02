import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { costsOf } from '../../prices/record-prices.ts';
import { isolationOf } from '../shared-folder.ts';
import { monthly, tierText } from './difference-words.ts';

/** How many users a deployment affects. */
export type PeopleOfServer = {
  renters: number;
  /** Users who called it in 30 days. */
  users: number;
  /**
   * Users who agreed to a lower price than a tool will cost, and are asked before their next call of it (decision
   * 0051).
   */
  asked: number;
};

export type RaisedPrice = { tool: string; before: number; after: number };

/** Number of a server's tools that wait for a decision, and of those that an administrator keeps hidden. */
type HiddenTools = { toolsUnderReview: number; toolsKeptHidden: number };

/**
 * Describes in sentences what deploying a manifest does, and to whom. It must match what billing and upstreams do.
 * Empty if users notice nothing.
 * @param before the live manifest, if any
 * @param people includes the numbers of hidden tools of the live server
 */
export function describeEffects(
  before: Manifest | undefined,
  after: Manifest,
  people: PeopleOfServer & HiddenTools,
): string[] {
  if (!before) {
    const appearance = `It appears in the shop. ${mayUse(after)}`;
    return [appearance, ...rentalOffer(undefined, after, people), ...signInPlace(undefined, after)];
  }
  return [
    ...tierChange(before, after, people),
    ...rentalOffer(before, after, people),
    ...trials(before, after),
    ...toolPrices(before, after, people),
    ...comparedResults(before, after),
    ...signIns(before, after, people),
    ...signInPlace(before, after),
    ...trust(before, after, people),
  ];
}

const rented = (count: number) => (count === 1 ? '1 person rents it' : `${count} people rent it`);
const used = ({ users }: PeopleOfServer) =>
  users === 1 ? '1 person called it in the last 30 days' : `${users} people called it in the last 30 days`;

const tierOf = (manifest: Manifest) => manifest.billing?.tier ?? 'T0';

function mayUse(manifest: Manifest): string {
  const tier = tierOf(manifest);
  return tier === 'T0'
    ? 'Everyone who is signed in may use it.'
    : `People with a plan of tier ${tierText(tier)} or above may use it.`;
}

function tierChange(before: Manifest, after: Manifest, people: PeopleOfServer): string[] {
  const [was, is] = [tierOf(before), tierOf(after)];
  if (was === is) return [];
  if (tiers[is].level < tiers[was].level) return [`${mayUse(after)} It was for tier ${tierText(was)} and above.`];
  const lose = was === 'T0' ? 'People without a plan' : `People with a plan of tier ${tierText(was)}`;
  return [
    `${mayUse(after)} ${lose} lose it immediately, unless they rent it, bought it or have a trial: ${used(people)}, ${rented(people.renters)}.`,
  ];
}

function rentalOffer(before: Manifest | undefined, after: Manifest, { renters }: PeopleOfServer): string[] {
  const [was, is] = [before?.billing?.rental, after.billing?.rental];
  const price = is && monthly(is.price, is.currency);
  if (!was) {
    const kept = renters === 0 ? '' : ` Nothing changes for those who have it already: ${rented(renters)}.`;
    return price === undefined ? [] : [`It can be rented for ${price}.${kept}`];
  }
  if (price === undefined) {
    const kept =
      renters === 0 ? '' : ` ${rented(renters)}: rentals that renew keep their price until they are canceled.`;
    return [`It can no longer be rented.${kept}`];
  }
  if (is?.price === was.price && is.currency === was.currency) return [];
  const kept =
    renters === 0
      ? 'No one rents it now.'
      : `${rented(renters)} and ${renters === 1 ? 'keeps' : 'keep'} the current price, renewals included, until the rental ends.`;
  return [`New rentals cost ${price} instead of ${monthly(was.price, was.currency)}. ${kept}`];
}

function trials(before: Manifest, after: Manifest): string[] {
  const [was, is] = [before.billing?.trialDays, after.billing?.trialDays];
  if (was === is) return [];
  const running = was === undefined ? '' : ' Running trials keep their end date.';
  if (is === undefined) return [`Trials can no longer be started.${running}`];
  return [`Trials that start after the deployment last ${is === 1 ? '1 day' : `${is} days`}.${running}`];
}

function toolPrices(before: Manifest, after: Manifest, people: PeopleOfServer): string[] {
  const [was, is] = [costsOf(before), costsOf(after)];
  const names = new Set([...was.keys(), ...is.keys()]);
  const changed = [...names].filter((name) => (was.get(name) ?? 0) !== (is.get(name) ?? 0)).length;
  const raised = raisedPrices(before, after).length;
  const [announced, coming] = [before.billing?.announcedPrices ?? {}, after.billing?.announcedPrices ?? {}];
  const tools = (count: number) => (count === 1 ? '1 tool' : `${count} tools`);
  const effects: string[] = [];
  if (changed > 0) {
    const asked = raised > 0 && people.users > 0 ? `; ${askedText(people)}` : '';
    effects.push(
      `Calls that begin after the deployment cost the new prices of ${tools(changed)} (${raised} higher, ${changed - raised} lower); calls in progress keep the old ones. ${used(people)}${asked}.`,
    );
  }
  if (!isDeepStrictEqual(announced, coming)) {
    const count = Object.keys(coming).length;
    effects.push(
      count === 0
        ? 'Prices that were announced for a later date are withdrawn.'
        : `The announced prices of ${tools(count)} begin on their dates. People are notified until then, and asked from then on if a price is higher.`,
    );
  }
  const isCharged = ({ billing }: Manifest) => billing?.chargeOnErrors === true;
  if (isCharged(after) && !isCharged(before)) {
    effects.push('Calls that the server answers with an error are charged from then on.');
  }
  if (isCharged(before) && !isCharged(after)) {
    effects.push('Calls that the server answers with an error are no longer charged.');
  }
  return effects;
}

export function raisedPrices(before: Manifest, after: Manifest): RaisedPrice[] {
  const was = costsOf(before);
  return [...costsOf(after)]
    .map(([tool, credits]) => ({ tool, before: was.get(tool) ?? 0, after: credits }))
    .filter((price) => price.after > price.before);
}

function askedText({ asked, users }: PeopleOfServer): string {
  if (asked === 0) return 'no one has to confirm the higher price';
  const who = asked === users ? (users === 1 ? 'they' : `all ${users}`) : `${asked} of them`;
  const agreed = asked === 1 && users > 1 ? 'agreed to a lower price and is' : 'agreed to a lower price and are';
  return `${who} ${agreed} asked before their next call`;
}

function comparedResults(
  { validateResults: was = false }: Manifest,
  { validateResults: is = false }: Manifest,
): string[] {
  if (was === is) return [];
  return [
    is
      ? 'A result that does not fit the outputSchema of its tool is refused, and not charged, from then on.'
      : 'Results are no longer compared with the outputSchema of their tool.',
  ];
}

/**
 * Says who has to sign in again: accounts are bound to the address and the kind of sign-in that they were created for.
 */
function signIns(before: Manifest, after: Manifest, people: PeopleOfServer): string[] {
  const moved = !isDeepStrictEqual(before.connection, after.connection);
  const opened = moved ? ['New connections are opened: calls in progress finish on the old ones.'] : [];
  const isolated = isolationOf(before) !== isolationOf(after) && isolationOf(after) === 'perUser';
  const own = isolated ? ['Each person gets a connection of their own.'] : [];
  const names = headersOfPeople(after);
  if (after.auth.type !== 'oauth' && names.length === 0) return [...opened, ...own];
  const isNew = before.auth.type !== after.auth.type;
  const added = names.filter((name) => !headersOfPeople(before).includes(name));
  if (!moved && !isNew && added.length === 0) return own;
  const what = after.auth.type === 'oauth' ? 'must sign in' : `must enter ${names.join(', ')}`;
  return [...opened, ...own, `Everyone who uses it ${what} again before their next call: ${used(people)}.`];
}

/** Says where users sign in, and what an administrator must confirm (upstreams/sign-in/issuers/known-issuer.ts). */
function signInPlace(before: Manifest | undefined, after: Manifest): string[] {
  if (after.auth.type !== 'oauth') return [];
  const was = before?.auth.type === 'oauth' ? before : undefined;
  const moved = was !== undefined && !isDeepStrictEqual(was.connection, after.connection);
  const { issuer, endpointOrigins } = after.auth;
  const isSame =
    was?.auth.type === 'oauth' &&
    was.auth.issuer === issuer &&
    isDeepStrictEqual(was.auth.endpointOrigins, endpointOrigins);
  if (isSame && !moved) return [];
  const elsewhere = endpointOrigins ? `, with endpoints at ${endpointOrigins.join(', ')} too` : '';
  const where =
    issuer === undefined
      ? 'People sign in where the server says. If that is on another site, no one is sent there until you confirm it on its page.'
      : `People sign in at ${issuer}, which the manifest names${elsewhere}.`;
  const undone = moved ? ['Confirmations for the previous address do not apply to this one.'] : [];
  return [where, ...undone];
}

function headersOfPeople({ auth }: Manifest): string[] {
  return auth.type === 'headers' ? auth.headers.filter(({ from }) => from === 'user').map(({ name }) => name) : [];
}

/**
 * Describes changes of the review of tools. A new version's tools are trusted as discovered (review/review-tools.ts).
 */
function trust(before: Manifest, after: Manifest, hidden: HiddenTools): string[] {
  const review = (count: number, how: string) =>
    count === 0 || before.version === after.version
      ? []
      : [
          `${count === 1 ? '1 tool is' : `${count} tools are`} ${how}: a new version trusts all tools as the server offers them then, including these.`,
        ];
  const effects = [
    ...review(hidden.toolsUnderReview, 'under review'),
    ...review(hidden.toolsKeptHidden, 'kept hidden'),
  ];
  const [was, is] = [before.toolChanges ?? 'text-only', after.toolChanges ?? 'text-only'];
  if (was === is) return effects;
  return [
    ...effects,
    is === 'strict'
      ? 'A tool that changes in any way is hidden from everyone until an administrator approves it.'
      : 'New titles and descriptions of tools are shown at once; a tool with another schema stays hidden until an administrator approves it.',
  ];
}
