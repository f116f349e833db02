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
export const askForMs = 15_000;
const askAgainMs = 1_000;

export type WatchPayment = {
  ask: () => Promise<PaymentSession>;
  /** `success=true` in the address: no proof, but a reason to keep asking when a call fails. */
  isHinted: boolean;
  now: () => number;
  wait: (delayMs: number) => Promise<void>;
};

/** Asks the broker for the outcome of a payment until it knows, for at most 15 s. */
export async function watchPayment({ ask, isHinted, now, wait }: WatchPayment): Promise<Verdict> {
  const endsAtMs = now() + askForMs;
  while (now() < endsAtMs) {
    const late = wait(endsAtMs - now()).then(() => undefined);
    const verdict = await Promise.race([ask().then(judge, (error: unknown) => judgeFailure(error, isHinted)), late]);
    if (verdict) return verdict;
    await wait(Math.max(0, Math.min(askAgainMs, endsAtMs - now())));
  }
  return { kind: 'unknown' };
}

const owned = { rental: 'this service', subscription: 'a plan', credits: 'these credits' } as const;

const sold = { rental: 'this rental', subscription: 'this plan', credits: 'this credit package' } as const;

function endedText({ reason, metadata: { type } }: PaymentSession): string | undefined {
  const closed = 'so this payment page was closed. You were not charged.';
  if (reason === 'no_longer_offered') return `T${sold[type].slice(1)} is no longer offered, ${closed}`;
  if (reason === 'price_changed') return `The price has changed, ${closed} Look at the new price.`;
  return reason === 'paid_twice' ? `You have paid for ${sold[type]} already, ${closed}` : undefined;
}

const isClosed = ({ status, paymentStatus }: PaymentSession) => status === 'expired' && paymentStatus === 'unpaid';

/** Returns whether a payment page was closed because the user already has what it was for. `hadAccessText` says how. */
export const isHad = (session: PaymentSession): boolean => isClosed(session) && session.reason === 'had_access';

/**
 * Returns why a payment page was closed before it was paid; undefined if it was not closed, the reason is unknown, or
 * `isHad`.
 */
export function closedText(session: PaymentSession): string | undefined {
  return isClosed(session) ? endedText(session) : undefined;
}

function refundedText({ reason, metadata: { type } }: PaymentSession): string {
  if (reason === 'no_longer_offered') return 'What you paid for is no longer offered, so this payment was refunded.';
  if (reason === 'price_changed') return 'The price had changed before you paid, so this payment was refunded.';
  if (reason === 'paid_twice')
    return `You paid twice for ${owned[type]}. Your other payment is kept, and this one was refunded in full: it brings nothing, and it is not charged again. Your bank may take some days to show the refund.`;
  if (reason !== null) return `You had ${owned[type]} already, so this payment was refunded.`;
  return `You had ${owned[type]} already, or ${sold[type]} is no longer offered, so this payment was refunded.`;
}

/** Returns undefined until it is decided. */
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
