import { monthlyText, moneyText } from '@souk/contract/billing/currencies.ts';
import type { OfferFields, PlanFields } from '@souk/contract/billing/offer-fields.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { isCurrent, type PriceGroup } from './offer-counts.ts';
import type { StoredOffer } from './offer-rows.ts';
import { count, counted, tierName } from './offer-words.ts';

export type Affected = {
  /** Subscribers of the plan, by what they pay. */
  groups: readonly PriceGroup[];
  openPages: number;
  /** Names of the offers that lose the mark "Most Popular". */
  unmarked: readonly string[];
  /** Subscribers that a move under way has not reached yet. */
  waiting: number;
};

/** Says what saving an offer does and to whom, in sentences with numbers. @param before undefined: it is new */
export function effectsOf(before: StoredOffer | undefined, after: StoredOffer, affected: Affected): string[] {
  const { fields } = after;
  const texts = before ? changeTexts(before, after, affected) : [newText(after)];
  if (fields.popular && !(before?.fields.popular ?? false)) texts.push(markText(fields, affected.unmarked));
  if (before && texts.length > 0 && !before.editedAt && after.editedAt && before.fileVersion)
    texts.push(`From now on offers.json no longer changes ${fields.name}.`);
  return texts.length > 0 ? texts : ['Nothing changes.'];
}

function newText({ fields }: StoredOffer): string {
  const { kind, name, amount, currency } = fields;
  if (kind === 'plan') return `People can subscribe to ${name} for ${monthlyText(amount, currency)} from now on.`;
  return `People can buy ${counted(fields.credits + fields.bonus, 'credit')} for ${moneyText(amount, currency)} from now on.`;
}

function changeTexts(before: StoredOffer, after: StoredOffer, affected: Affected): string[] {
  const [was, is] = [before.fields, after.fields];
  if (before.active && !after.active) return archiveTexts(before, affected);
  const texts: string[] = [];
  if (!before.active && after.active) texts.push(newText(after));
  if (was.kind === 'plan' && is.kind === 'plan') texts.push(...planTexts(was, is, affected));
  if (was.kind === 'package' && is.kind === 'package') {
    if (was.amount !== is.amount) texts.push(`${is.name} costs ${moneyText(is.amount, is.currency)} from now on.`);
    const [had, has] = [was.credits + was.bonus, is.credits + is.bonus];
    if (had !== has) texts.push(`People who buy it get ${counted(has, 'credit')} from now on, not ${count(had)}.`);
  }
  if (isOtherOffer(was, is) && affected.openPages > 0) texts.push(pagesText(affected.openPages));
  const shown = [
    ...(was.name === is.name ? [] : ['name']),
    ...(was.kind === 'plan' && is.kind === 'plan' && was.description !== is.description ? ['description'] : []),
    ...(was.kind === 'plan' && is.kind === 'plan' && String(was.features) !== String(is.features) ? ['features'] : []),
  ];
  if (shown.length > 0) texts.push(`The Plans page shows the new ${listed(shown)} at once.`);
  if (before.position !== after.position) texts.push(`${is.name} moves to another place on the Plans page.`);
  if (was.popular && !is.popular) texts.push(`${is.name} is no longer marked Most Popular.`);
  return texts;
}

/** Whether open payment pages no longer match the offer. */
export function isOtherOffer(was: OfferFields, is: OfferFields): boolean {
  if (was.amount !== is.amount || was.currency !== is.currency) return true;
  if (was.kind === 'plan' && is.kind === 'plan') return was.monthlyCredits !== is.monthlyCredits;
  return was.kind === 'package' && is.kind === 'package' && was.credits + was.bonus !== is.credits + is.bonus;
}

function planTexts(was: PlanFields, is: PlanFields, { groups, waiting }: Affected): string[] {
  const texts: string[] = [];
  const hasPrice = was.amount !== is.amount || was.currency !== is.currency;
  const hasCredits = was.monthlyCredits !== is.monthlyCredits;
  if (hasPrice) texts.push(`New subscribers pay ${monthlyText(is.amount, is.currency)} from now on.`);
  if (hasCredits) texts.push(`New subscribers get ${counted(is.monthlyCredits, 'credit')} a month from now on.`);
  if (hasPrice || hasCredits) {
    for (const group of groups) if (!isCurrent(group, is)) texts.push(keepText(group, hasCredits));
    if (waiting > 0) texts.push(stopText(waiting));
  }
  if (was.tier !== is.tier) {
    const subscribers = sum(groups);
    const reach = tiers[is.tier].level > tiers[was.tier].level ? 'can use' : 'can only use';
    texts.push(
      subscribers === 0
        ? `Subscribers ${reach} services up to the ${tierName(is.tier)} tier.`
        : `${counted(subscribers, 'subscriber')} ${reach} services up to the ${tierName(is.tier)} tier at once.`,
    );
  }
  return texts;
}

function keepText({ subscribers, amount, currency, monthlyCredits }: PriceGroup, saysCredits: boolean): string {
  const price = amount === null || currency === null ? 'their price' : monthlyText(amount, currency);
  const credits = saysCredits && monthlyCredits !== null ? ` and ${counted(monthlyCredits, 'credit')} a month` : '';
  return subscribers === 1
    ? `1 subscriber keeps ${price}${credits} until you move them.`
    : `${count(subscribers)} subscribers keep ${price}${credits} until you move them.`;
}

function archiveTexts({ kind, fields }: StoredOffer, { groups, openPages, waiting }: Affected): string[] {
  const texts = [
    kind === 'plan'
      ? `No one else can subscribe to ${fields.name} from now on.`
      : `No one can buy ${fields.name} from now on. Credits that people have stay.`,
  ];
  const subscribers = sum(groups);
  if (subscribers > 0)
    texts.push(
      `${counted(subscribers, 'subscriber')} ${subscribers === 1 ? 'keeps' : 'keep'} it, and it goes on renewing at the price ${subscribers === 1 ? 'they have' : 'they each have'}.`,
    );
  if (waiting > 0) texts.push(stopText(waiting));
  if (openPages > 0) texts.push(pagesText(openPages));
  return texts;
}

const stopText = (waiting: number) => `The move under way stops: ${counted(waiting, 'subscriber')} will not be moved.`;

const pagesText = (pages: number) =>
  pages === 1
    ? '1 open payment page ends: it sells what is no longer offered.'
    : `${count(pages)} open payment pages end: they sell what is no longer offered.`;

function markText({ name }: OfferFields, unmarked: readonly string[]): string {
  const rest = unmarked.length === 0 ? '' : `, and ${listed(unmarked)} no longer ${isOrAre(unmarked.length)}`;
  return `${name} is marked Most Popular${rest}.`;
}

const sum = (groups: readonly PriceGroup[]) => groups.reduce((total, { subscribers }) => total + subscribers, 0);
const isOrAre = (number: number) => (number === 1 ? 'is' : 'are');
const listed = (words: readonly string[]) => new Intl.ListFormat('en', { type: 'conjunction' }).format(words);
