import type { PaymentSession } from '@souk/contract/billing/payments.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { LinkButton } from '#ui/link-button.tsx';
import { billingApi } from '../billing-api.ts';
import { billingKey } from '../queries.ts';
import { announceSubscriptionUpdate } from '../subscription-updated.ts';
import { begunPayment } from './begun-payment.ts';
import { PaymentCard } from './payment-card.tsx';
import { PaidFacts, WhatIsNext } from './payment-facts.tsx';
import { PlanOverlap } from './plan-overlap.tsx';
import type { PaymentSearch } from './payment-search.ts';
import { useClosedText } from './use-closed-text.ts';
import { ClosedPageLink } from './closed-page-link.tsx';
import { watchPayment, type Verdict } from './watch-payment.ts';

export type PaymentScreenProps = PaymentSearch & {
  userId: string | undefined;
  isRestoring: boolean;
  /** Sign-in button for visitors, which returns to this page. */
  signIn: ReactNode;
};

/** Spec part 2, section 9. */
const redirectAfterMs = 3_000;

/** /payment/result and /purchase/success: the outcome of a payment. */
export function PaymentScreen({ sessionId, isHinted, isCanceled, userId, isRestoring, signIn }: PaymentScreenProps) {
  // checked before the id, which a canceled payment usually lacks
  if (isCanceled) return <LeftPayment userId={userId} isRestoring={isRestoring} />;
  if (sessionId === undefined) return <Failed text="Missing session ID" />;
  if (isRestoring) return <Asking />;
  if (userId === undefined) return <Failed text="Authentication required. Please log in." action={signIn} />;
  return <Watched key={sessionId} sessionId={sessionId} isHinted={isHinted} userId={userId} />;
}

function Watched({ sessionId, isHinted, userId }: { sessionId: string; isHinted: boolean; userId: string }) {
  const verdict = useVerdict(sessionId, isHinted);
  useEndOfPayment(verdict, userId);
  const closed = useClosedText(userId, verdict?.kind === 'error' ? verdict.session : undefined);
  if (!verdict) return <Asking />;
  if (verdict.kind === 'error') {
    const { session, text } = verdict;
    return (
      <Failed
        title={session && titleOf(session)}
        text={closed.text ?? text}
        sessionId={sessionId}
        action={<ClosedPageLink next={closed.next} />}
      />
    );
  }
  const leaving = <p className="text-[0.8125rem] text-quiet">You'll be taken to your dashboard in a moment.</p>;
  if (verdict.kind === 'unknown') {
    return (
      <PaymentCard
        tone="idle"
        title="Payment Status Unknown"
        text="We are processing your payment. Please check your account for updates."
        sessionId={sessionId}
        actions={
          <LinkButton variant="primary" to="/dashboard">
            Go to Dashboard
          </LinkButton>
        }
      >
        {leaving}
      </PaymentCard>
    );
  }
  return (
    <PaymentCard
      tone="good"
      title="Payment Successful!"
      text="Thank you. Your payment has been verified."
      sessionId={sessionId}
      actions={<WhatIsNext metadata={verdict.session.metadata} />}
    >
      <PaidFacts session={verdict.session} />
      {verdict.session.metadata.type === 'subscription' && <PlanOverlap userId={userId} />}
      {leaving}
    </PaymentCard>
  );
}

function useVerdict(sessionId: string, isHinted: boolean): Verdict | undefined {
  const [verdict, setVerdict] = useState<Verdict>();
  useEffect(() => {
    let isWanted = true;
    void watchPayment({
      ask: async () => (await billingApi.getPaymentSession({ params: { sessionId } })).data,
      isHinted,
      now: () => performance.now(),
      // never resolves once the page is left, which stops the polling
      wait: (delayMs) => new Promise((resolve) => isWanted && window.setTimeout(resolve, delayMs)),
    }).then((reached) => isWanted && setVerdict(reached));
    return () => {
      isWanted = false;
    };
  }, [sessionId, isHinted]);
  return verdict;
}

/** After success or an unknown status, notifies the other tabs and goes to the dashboard. An error stays on screen. */
function useEndOfPayment(verdict: Verdict | undefined, userId: string): void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const hasEnded = verdict !== undefined && verdict.kind !== 'error';
  const bought = verdict?.kind === 'paid' ? verdict.session.metadata.type : undefined;
  useEffect(() => {
    if (!hasEnded) return undefined;
    void announceSubscriptionUpdate(queries, userId);
    // replaces the address, so that Back does not lead to a page that redirects
    const timer = window.setTimeout(
      () => void navigate({ to: '/dashboard', search: dashboardSearch(bought), replace: true }),
      redirectAfterMs,
    );
    return () => window.clearTimeout(timer);
  }, [hasEnded, bought, navigate, queries, userId]);
}

/** Returns the part of the dashboard that shows the purchase: the rental, the services of the plan, or the balance. */
function dashboardSearch(bought: PaymentSession['metadata']['type'] | undefined) {
  if (bought === 'rental') return { tab: 'services', show: 'own' } as const;
  if (bought === 'subscription') return { tab: 'services', show: 'plan' } as const;
  return bought === 'credits' ? ({ tab: 'billing' } as const) : {};
}

function Asking() {
  return <PaymentCard tone="busy" title="Checking your payment…" text="This takes a few seconds at most." />;
}

/**
 * The address of a canceled payment has no id, so this looks up the last payment of this tab. If it was paid in another
 * tab, nothing was canceled.
 */
function LeftPayment({ userId, isRestoring }: Pick<PaymentScreenProps, 'userId' | 'isRestoring'>) {
  const sessionId = begunPayment();
  const { data, isLoading } = useQuery({
    queryKey: [...billingKey(userId ?? ''), 'begun-payment', sessionId],
    queryFn: () => billingApi.getPaymentSession({ params: { sessionId: sessionId ?? '' } }),
    enabled: userId !== undefined && sessionId !== undefined,
    retry: false,
  });
  if (sessionId !== undefined && (isRestoring || isLoading)) return <Asking />;
  if (userId !== undefined && data?.data.status === 'complete')
    return <Watched sessionId={data.data.sessionId} isHinted={false} userId={userId} />;
  return <Canceled userId={userId} session={data?.data} />;
}

function Canceled({ userId, session }: { userId: string | undefined; session: PaymentSession | undefined }) {
  const closed = useClosedText(userId, session);
  if (closed.isPending) return <Asking />;
  const isClosed = closed.text !== undefined;
  // a service that is no longer offered has no page
  const rented = session?.reason === 'no_longer_offered' ? undefined : session?.metadata.mcpId;
  return (
    <PaymentCard
      tone="idle"
      title={isClosed ? 'Payment Page Closed' : 'Payment Canceled'}
      text={closed.text ?? 'Your payment was canceled. No charges were made.'}
      actions={
        <>
          <ClosedPageLink next={closed.next} />
          <LinkButton variant="primary" to="/plans">
            View Plans
          </LinkButton>
          <LinkButton to="/marketplace">Browse Servers</LinkButton>
          {rented && (
            <LinkButton to="/service/$serviceId" params={{ serviceId: rented }}>
              Back to the service
            </LinkButton>
          )}
        </>
      }
    />
  );
}

/** Returns the title for a payment that was refunded or whose page was closed; undefined for an error. */
function titleOf({ paymentStatus, reason }: PaymentSession): string | undefined {
  if (paymentStatus === 'refunded') return 'Payment Refunded';
  return reason === null ? undefined : 'Payment Page Closed';
}

type FailedProps = { title?: string | undefined; text: string; sessionId?: string; action?: ReactNode };

function Failed({ title = 'Error', text, sessionId, action }: FailedProps) {
  return (
    <PaymentCard
      tone="bad"
      title={title}
      text={text}
      sessionId={sessionId}
      actions={
        <>
          {action}
          <LinkButton to="/">Back to Home</LinkButton>
        </>
      }
    />
  );
}
