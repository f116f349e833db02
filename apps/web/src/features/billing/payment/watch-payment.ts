import type { PaymentSession } from '@souk/contract/billing/payments.ts';
import { ApiError } from '@souk/contract/client.ts';
import { statusText } from '@souk/contract/catalogue/status-text.ts';
import { errorCatalogue } from '@souk/contract/errors.ts';

/** The outcome that the page shows. Only `paid` has been verified with the payment provider. */
export type Verdict =
  | { kind: 'paid'; session: PaymentSession }
  | { kind: 'unknown' }
  | { kind: 'error'; text: string; session?: PaymentSession };

/** Spec part 2, section 4, and clarifications, "Plans, prices, access". */
const pollForMs = 15_000;
const pollEveryMs = 1_000;

export type WatchPayment = {
  ask: () => Promise<PaymentSession>;
  /** `success=true` in the address: no proof, but a reason to keep polling when a call fails. */
  isHinted: boolean;
  now: () => number;
  wait: (delayMs: number) => Promise<void>;
};

/** Polls the broker for the outcome of a payment, for at most 15 s. */
export async function watchPayment({ ask, isHinted, now, wait }: WatchPayment): Promise<Verdict> {
  const endsAtMs = now() + pollForMs;
  while (now() < endsAtMs) {
    const late = wait(endsAtMs - now()).then(() => undefined);
    const verdict = await Promise.race([ask().then(judge, (error: unknown) => judgeFailure(error, isHinted)), late]);
    if (verdict) return verdict;
    await wait(Math.max(0, Math.min(pollEveryMs, endsAtMs - now())));
  }
  return { kind: 'unknown' };
}

const owned = { rental: 'this service', subscription: 'a plan', credits: 'these credits' } as const;

const sold = { rental: 'this rental', subscription: 'this plan', credits: 'this credit package' } as const;

function endedText({ reason, metadata: { type } }: PaymentSession): string | undefined {
  const closed = 'so this payment page was closed. You were not charged.';
  if (reason === 'no_longer_offered') return `T${sold[type].slice(1)} is no longer offered, ${closed}`;
  if (reason === 'price_changed') return `The price has changed, ${closed} Check the new price.`;
  return reason === 'paid_twice' ? `You have paid for ${sold[type]} already, ${closed}` : undefined;
}

const isClosed = ({ status, paymentStatus }: PaymentSession) => status === 'expired' && paymentStatus === 'unpaid';

/** Returns whether a payment page was closed because the user already has what it was for. `hadAccessText` says how. */
export const isOwnedAlready = (session: PaymentSession): boolean =>
  isClosed(session) && session.reason === 'had_access';

/**
 * Returns why a payment page was closed before the user paid; undefined if it was not closed, the reason is unknown, or
 * `isOwnedAlready`.
 */
export function closedText(session: PaymentSession): string | undefined {
  return isClosed(session) ? endedText(session) : undefined;
}

function refundedText({ reason, metadata: { type } }: PaymentSession): string {
  if (reason === 'no_longer_offered') return 'What you paid for is no longer offered, so this payment was refunded.';
  if (reason === 'price_changed') return 'The price had changed before you paid, so this payment was refunded.';
  if (reason === 'paid_twice')
    return `You paid twice for ${owned[type]}. We kept your other payment and refunded this one in full: it adds nothing and won't be charged again. Your bank may take a few days to show the refund.`;
  if (reason !== null) return `You had ${owned[type]} already, so this payment was refunded.`;
  return `You had ${owned[type]} already, or ${sold[type]} is no longer offered, so this payment was refunded.`;
}

/** Returns undefined until the outcome is known. */
function judge(session: PaymentSession): Verdict | undefined {
  if (session.paymentStatus === 'paid') return { kind: 'paid', session };
  if (session.paymentStatus === 'failed') return { kind: 'error', text: 'The payment failed. You were not charged.' };
  if (session.paymentStatus === 'refunded') return { kind: 'error', text: refundedText(session), session };
  if (session.status === 'expired')
    return { kind: 'error', text: closedText(session) ?? 'This payment has expired. You were not charged.', session };
  return undefined;
}

function judgeFailure(error: unknown, isHinted: boolean): Verdict | undefined {
  const { status, serverMessage, code } =
    error instanceof ApiError ? error : { status: undefined, code: '', serverMessage: undefined };
  const mayPass = code === 'network' || status === 503 || status === 429;
  if (isHinted && mayPass) return undefined;
  return { kind: 'error', text: serverMessage ?? `Failed to fetch payment details: ${reasonOf(status, code)}` };
}

function reasonOf(status: number | undefined, code: string): string {
  if (code === 'network') return 'Network error occurred';
  return status === undefined || status < 400
    ? errorCatalogue.unexpected.message
    : statusText({ status, statusText: '' });
}
