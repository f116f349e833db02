import type { AuditEntryShown } from '@souk/contract/admin/audit.ts';
import { isRecord } from '#platform/json.ts';
import type { StoredEntry } from './find-entries.ts';
import { isId, moneyOf, offerValue, textOf, wordsOf } from './describe-values.ts';

type Described = Pick<AuditEntryShown, 'changes' | 'facts' | 'ids'>;
type Details = StoredEntry['details'];
type Changes = { changes: Described['changes']; used: ReadonlySet<string> };

/** Fields that are shown as the actor. */
const ofActor = new Set(['operator', 'via']);

/** Formats the details of a row: pairs of before and after as changes, the rest as named facts, and ids apart. */
export function describeDetails({ action, details }: Pick<StoredEntry, 'action' | 'details'>): Described {
  const { changes, used } = changesOf(action, details);
  const rest = Object.entries(withMoney(action, details)).filter(
    ([name, value]) =>
      !used.has(name) && !ofActor.has(name) && value !== undefined && value !== null && value !== false,
  );
  const factOf = ([name, value]: [string, unknown]) => ({ name: wordsOf(name), text: textOf(value) });
  return {
    changes,
    facts: rest.filter(([name]) => !isId(name)).map(factOf),
    ids: rest.filter(([name]) => isId(name)).map(factOf),
  };
}

/** Joins an amount of minor units and its currency into one fact. */
function withMoney(action: string, { amount, currency, moved, ...details }: Details): Details {
  const money = moneyOf(amount, currency);
  const isPrice = action.startsWith('offer.');
  return {
    ...details,
    // true for an offer that changed its position; the number of moved subscribers for a price move
    ...(moved === true ? { anotherPlaceInTheList: true } : { moved }),
    ...(money === undefined ? { amount, currency } : { [isPrice ? 'price' : 'amount']: money }),
  };
}

function changesOf(action: string, details: Details): Changes {
  const change = (field: string, before: unknown, after: unknown) => ({
    field: wordsOf(field),
    before: before === undefined || before === null ? null : textOf(before),
    after: after === undefined || after === null ? null : textOf(after),
  });
  const { before, after, version, credits, change: delta, differences } = details;
  if (action === 'credits.set' && typeof credits === 'number' && typeof delta === 'number') {
    return { changes: [change('credits', credits - delta, credits)], used: new Set(['credits', 'change']) };
  }
  if (action === 'manifest.deployed') {
    const prices = (Array.isArray(details['prices']) ? details['prices'] : []).filter(isRecord);
    const costs = prices.map((price) => ({
      ...change('price', price['before'], price['after']),
      field: `credits per call of ${textOf(price['tool'])}`,
    }));
    return { changes: [change('version', before, version), ...costs], used: new Set(['before', 'version', 'prices']) };
  }
  if (action.startsWith('offer.') && isRecord(after))
    return offerChanges(isRecord(before) ? before : {}, after, details);
  if (isRecord(before) && isRecord(after)) {
    const changes = differing(before, after).map((field) => change(field, before[field], after[field]));
    return { changes, used: new Set(['before', 'after']) };
  }
  if ('before' in details && 'after' in details)
    return { changes: [change('value', before, after)], used: new Set(['before', 'after']) };
  // a payment that differs from its order
  if (isRecord(differences))
    return { changes: paymentChanges(differences, details), used: new Set(['differences', 'currency']) };
  // a subscription that reconciliation found changed
  const found = Object.entries(details).filter((entry): entry is [string, { was: unknown; is: unknown }] => {
    const [, value] = entry;
    return isRecord(value) && 'was' in value && 'is' in value;
  });
  return {
    changes: found.map(([field, { was, is }]) => change(field, was, is)),
    used: new Set(found.map(([field]) => field)),
  };
}

const differing = (before: Details, after: Details) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );

/** Formats changed fields of an offer, each with the currency of its time. */
function offerChanges(before: Details, after: Details, { currency }: Details): Changes {
  const { from, to } = isRecord(currency) ? currency : {};
  const changes = differing(before, after)
    .map((field) => ({
      field: field === 'amount' ? 'price' : wordsOf(field),
      before: offerValue(field, before[field], from),
      after: offerValue(field, after[field], to),
    }))
    // leaves out the empty fields of a new offer
    .filter(({ before: was, after: is }) => was !== is);
  return { changes, used: new Set(['before', 'after', 'currency']) };
}

/** @param ordered.currency the currency, if the order and the payment have the same */
function paymentChanges(differences: Details, ordered: Details): Described['changes'] {
  const pairs = Object.entries(differences).flatMap(([field, pair]) =>
    isRecord(pair) ? [[field, pair] as const] : [],
  );
  const currency = Object.fromEntries(pairs)['currency'];
  return pairs.map(([field, pair]) => {
    const say = (value: unknown, of: unknown) =>
      value === undefined || value === null ? null : (field === 'amount' && moneyOf(value, of)) || textOf(value);
    return {
      field: wordsOf(field),
      before: say(pair['ordered'], currency?.['ordered'] ?? ordered['currency']),
      after: say(pair['paid'], currency?.['paid'] ?? ordered['currency']),
    };
  });
}
