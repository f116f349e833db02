import type { AdminOffer } from '@souk/contract/admin/offers.ts';
import {
  faultsOfFields,
  maxAmount,
  packageFieldsSchema,
  planFieldsSchema,
  type OfferFault,
  type OfferFields,
} from '@souk/contract/billing/offer-fields.ts';
import type { Tier } from '@souk/contract/tiers.ts';
import { issueText } from '@souk/contract/manifest/issue-text.ts';
import { formatMoney } from '#ui/text/amount.ts';
import { centsOf } from '../cents-of.ts';
import { linesOf } from '../lines-of.ts';

/** The form as typed. Numbers stay texts until they are sent. */
export type OfferDraft = {
  kind: OfferFields['kind'];
  id: string;
  name: string;
  description: string;
  /** One per line. */
  features: string;
  price: string;
  monthlyCredits: string;
  credits: string;
  bonus: string;
  tier: Tier;
  popular: boolean;
  place: string;
};

export type DraftErrors = { [Name in keyof OfferDraft]?: string | undefined };

export const emptyDraft = (kind: OfferFields['kind'], place: number): OfferDraft => ({
  kind,
  id: '',
  name: '',
  description: '',
  features: '',
  price: '',
  monthlyCredits: '0',
  credits: '',
  bonus: '0',
  tier: 'T1',
  popular: false,
  place: String(place),
});

/** @param place position among the active offers of its kind, from 1 */
export function draftOf({ offerId, fields }: Pick<AdminOffer, 'offerId' | 'fields'>, place: number): OfferDraft {
  const { kind, name, amount, popular } = fields;
  const draft = { ...emptyDraft(kind, place), id: offerId, name, price: (amount / 100).toFixed(2), popular };
  if (fields.kind === 'package') return { ...draft, credits: String(fields.credits), bonus: String(fields.bonus) };
  const { description, features, tier, monthlyCredits } = fields;
  return { ...draft, description, features: features.join('\n'), tier, monthlyCredits: String(monthlyCredits) };
}

export const isSameDraft = (one: OfferDraft, other: OfferDraft): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Applies one administrator's edits to what another one saved. @param base the version that both started from */
export function mergeDrafts(base: OfferDraft, mine: OfferDraft, theirs: OfferDraft): OfferDraft {
  const changed = Object.entries(mine).filter(([name, value]) => Reflect.get(base, name) !== value);
  return { ...theirs, ...Object.fromEntries(changed) };
}

export function readDraft(
  draft: OfferDraft,
  { currency, isArchived }: { currency: string; isArchived: boolean },
): { fields: OfferFields } | { errors: DraftErrors } {
  const { kind, name, popular } = draft;
  const { amount, fault: priceFault } = readPrice(draft.price, currency);
  const shared = { name, amount, currency, popular, ...(!isArchived && { place: wholeOf(draft.place) }) };
  const features = linesOf(draft.features);
  const { description, tier } = draft;
  const monthlyCredits = wholeOf(draft.monthlyCredits);
  const [credits, bonus] = [wholeOf(draft.credits), wholeOf(draft.bonus)];
  const parsed =
    kind === 'plan'
      ? planFieldsSchema.safeParse({ kind, ...shared, description, features, tier, monthlyCredits })
      : packageFieldsSchema.safeParse({ kind, ...shared, credits, bonus });
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => {
      const [field = '', line] = issue.path;
      const message = issueText(issue);
      return { path: String(field), message: typeof line === 'number' ? `line ${line + 1} ${message}` : message };
    });
    return { errors: errorsOf([...faultsOfTexts(draft, priceFault), ...faults]) };
  }
  const faults = faultsOfFields(draft.id, parsed.data, { currency });
  return faults.length > 0 ? { errors: errorsOf(faults) } : { fields: parsed.data };
}

/** Assigns faults to their inputs. The first fault of each input counts. */
export function errorsOf(faults: readonly OfferFault[]): DraftErrors {
  const errors: Record<string, string> = {};
  for (const { path, message } of faults) {
    const name = inputs[path] ?? path;
    errors[name] ??= `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  }
  return errors;
}

/** Returns the broker's refusals by input; undefined if it refused something else, such as the reason. */
export function refusedInputs(faults: readonly OfferFault[], draft: OfferDraft): DraftErrors | undefined {
  const ofInputs = errorsOf(faults.map(({ path, message }) => ({ path: inputOf(path), message })));
  const known = Object.entries(ofInputs).filter(([name]) => name in draft);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** Returns the input of a path: `change.fields.features.3` is `features`. */
const inputOf = (path: string): string => path.replace(/^(?:change\.)?fields\./, '').split('.')[0] ?? '';

const inputs: Readonly<Record<string, string>> = { amount: 'price', currency: 'price', offerId: 'id', kind: 'name' };

/** Returns faults of numbers as typed, which say more than the schema's faults. */
function faultsOfTexts(draft: OfferDraft, priceFault: string | undefined): OfferFault[] {
  const faults = (['monthlyCredits', 'credits', 'bonus'] as const)
    .filter((name) => isSeparated(draft[name]))
    .map((path) => ({ path, message: 'must be a whole number without separators, such as 1000' }));
  return priceFault === undefined ? faults : [{ path: 'price', message: priceFault }, ...faults];
}

function readPrice(typed: string, currency: string): { amount?: number; fault?: string } {
  const price = typed.trim();
  const amount = centsOf(price);
  if (amount === undefined)
    return { fault: `must be an amount such as 12.00${isSeparated(price) ? ', without thousands separators' : ''}` };
  return amount > maxAmount ? { fault: `must be at most ${formatMoney(maxAmount, currency)}` } : { amount };
}

/** Returns NaN for a text that isn't a whole number, which the schema refuses. Caps huge numbers, so that it names its limit. */
const wholeOf = (text: string): number =>
  /^\d+$/.test(text.trim()) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : Number.NaN;

/** Whether there are separators between digits, as in "1,000". */
function isSeparated(typed: string): boolean {
  const text = typed.trim();
  return /^[\d.,' \u00A0\u202F]+$/.test(text) && /\D/.test(text);
}
