import { amountFault, currencyFault } from '@souk/contract/billing/currencies.ts';
import { z } from 'zod';
import { freePlanId } from '@souk/contract/billing/offer-fields.ts';

const text = z.string().optional().catch(undefined);
const amount = z.number().optional().catch(undefined);
/** Accepts malformed fields, so that the other faults of a file are reported too. */
const readable = z.object({
  plans: z
    .array(z.object({ planId: text, name: text, tier: text, amount, currency: text }).catch({}))
    .optional()
    .catch(undefined),
  packages: z
    .array(z.object({ packageId: text, name: text, price: amount, currency: text }).catch({}))
    .optional()
    .catch(undefined),
});

/** Finds faults in well-formed offers, and between them. @returns each with the path of its field */
export function faultsOfOffers(value: unknown): string[] {
  const { plans = [], packages = [] } = readable.catch({}).parse(value);
  const offers = [
    ...plans.map(({ planId: id, amount, currency }, index) => ({
      at: `plans.${index}`,
      idName: 'planId',
      id,
      priceName: 'amount',
      price: amount,
      currency,
    })),
    ...packages.map(({ packageId: id, price, currency }, index) => ({
      at: `packages.${index}`,
      idName: 'packageId',
      id,
      priceName: 'price',
      price,
      currency,
    })),
  ];
  const faults: string[] = [];
  const ids = new Set<string>();
  const [first] = offers;
  for (const { at, idName, id, priceName, price, currency } of offers) {
    if (id !== undefined && ids.has(id)) faults.push(`${at}.${idName} ${id} is the id of two offers`);
    if (id !== undefined) ids.add(id);
    if (currency === undefined) continue;
    const fault = currencyFault(currency);
    if (fault) faults.push(`${at}.currency ${fault}`);
    else if (first?.currency !== undefined && first.currency !== currency)
      faults.push(`${at}.currency must be ${first.currency}, as of ${first.at}: all prices are in one currency`);
    // the free plan costs nothing, and a negative price is malformed
    const tooLittle = fault || price === undefined || price <= 0 ? undefined : amountFault(price, currency);
    if (tooLittle) faults.push(`${at}.${priceName} ${tooLittle}`);
  }
  return [...faults, ...sameNames('plans', plans), ...sameNames('packages', packages), ...faultsOfFree(plans)];
}

/** Users choose an offer by its name: it is unique within its kind, ignoring case, as in the browser. */
function sameNames(kind: 'plans' | 'packages', offers: readonly { name?: string | undefined }[]): string[] {
  const names = new Set<string>();
  return offers.flatMap(({ name }, index) => {
    if (name === undefined) return [];
    const isTaken = names.has(name.toLowerCase());
    names.add(name.toLowerCase());
    return isTaken ? [`${kind}.${index}.name ${name} is the name of two ${kind}`] : [];
  });
}

/** Exactly one plan is free: the one that every user has. */
function faultsOfFree(
  plans: readonly { planId?: string | undefined; tier?: string | undefined; amount?: number | undefined }[],
): string[] {
  const faults: string[] = [];
  for (const [index, { planId, tier, amount }] of plans.entries()) {
    if (tier === undefined || amount === undefined) continue;
    if ((tier === 'T0') !== (amount === 0))
      faults.push(`plans.${index}.amount a plan is free if and only if its tier is T0`);
    if ((tier === 'T0') !== (planId === freePlanId))
      faults.push(`plans.${index}.planId must be ${freePlanId} if and only if the tier is T0`);
  }
  if (!plans.some(({ planId }) => planId === freePlanId))
    faults.push(`plans must include the plan ${freePlanId} of tier T0: it is the plan of users without a paid plan`);
  return faults;
}
