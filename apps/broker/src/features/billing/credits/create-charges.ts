import { SoukError } from '#platform/errors.ts';
import type { Charges, Hold, PricedCall, Refusal } from './charges.ts';
import type { BillingLinks } from '../billing-links.ts';
import type { ShortOfCredits } from './leases/lease.ts';
import type { LeaseHold } from './leases/lease-hold.ts';
import type { Ledger, NoLease } from './ledger.ts';
import type { UsageRow } from './usage-row.ts';
import type { UsageRows } from './usage-rows.ts';

const nothingCharged = 'Nothing was charged.';

/**
 * Charges calls to the ledger. A free call touches neither the ledger nor the database.
 * @param isCharging false: every call is free, even if its tool has a price
 */
export function createCharges({
  ledger,
  usage,
  links,
  isCharging,
}: {
  ledger: Pick<Ledger, 'hold'>;
  usage: Pick<UsageRows, 'record'>;
  links: BillingLinks;
  isCharging: boolean;
}): Charges {
  const record = (row: UsageRow) => usage.record(row);
  const free: Hold = {
    kind: 'hold',
    credits: 0,
    available: undefined,
    isLost: false,
    settle(row) {
      record(row);
      return undefined;
    },
    settleAbort: record,
    release() {},
  };

  function present(call: PricedCall, made: LeaseHold | NoLease): Hold | Refusal {
    switch (made.kind) {
      case 'hold':
        return made;
      case 'insufficient':
        return made.available < call.credits ? insufficient(call.credits, made.available) : overCap(call.credits, made);
      case 'settled':
        return refusal('already_charged', 'This call has already been made and charged. Make a new call.');
      case 'under_way':
        return refusal('under_way', 'This call is already running. Wait for its result.');
      case 'unavailable':
        throw new SoukError('unavailable');
    }
  }

  function insufficient(required: number, available: number): Refusal {
    const { topUpUrl } = links;
    const remedy = topUpUrl === undefined ? 'Ask your administrator for more.' : `Top up: ${topUpUrl}`;
    return {
      kind: 'refusal',
      code: 'insufficient_credits',
      text: `Needs ${countCredits(required)}, ${available} left. ${remedy}`,
      facts: { required, available, ...(topUpUrl !== undefined && { topUpUrl }) },
    };
  }

  function overCap(required: number, { underCap: available = 0 }: ShortOfCredits): Refusal {
    const { capUrl } = links;
    return {
      kind: 'refusal',
      code: 'spend_cap_reached',
      text:
        `Needs ${countCredits(required)}, and your monthly limit leaves ${available} for this month (UTC). ` +
        `${nothingCharged} Raise the limit: ${capUrl}`,
      facts: { required, available, url: capUrl },
    };
  }

  return {
    hold(call) {
      if (!isCharging || call.credits === 0) return free;
      const made = ledger.hold(call);
      return made instanceof Promise ? made.then((one) => present(call, one)) : present(call, made);
    },
    record,
  };
}

const refusal = (code: string, text: string): Refusal => ({ kind: 'refusal', code, text: `${text} ${nothingCharged}` });

function countCredits(credits: number): string {
  return credits === 1 ? '1 credit' : `${credits} credits`;
}
