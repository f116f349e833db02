import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { LinkButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/notice.tsx';
import { billingApi } from '../billing-api.ts';
import { billingKey } from '../queries.ts';
import { announceSubscriptionUpdate } from '../subscription-updated.ts';
import { begunPayment } from './begun-payment.ts';
import { PaymentCard } from './payment-card.tsx';
import { PaidFacts, WhatIsNext } from './payment-facts.tsx';
import type { PaymentSearch } from './payment-search.ts';
import { closedText, watchPayment, type Verdict } from './watch-payment.ts';

export type PaymentScreenProps = PaymentSearch & {
  userId: string | undefined;
  isRestoring: boolean;
  /** For a visitor: signs in, and comes back to this page. */
  signIn: ReactNode;
};

/** Spec part 2, section 9. */
const redirectAfterMs = 3_000;

/** /payment/result and /purchase/success: what became of a payment. */
export function PaymentScreen({ sessionId, isHinted, isCanceled, userId, isRestoring, signIn }: PaymentScreenProps) {
  // before the id is demanded: a person who cancels has paid nothing
  if (isCanceled) return <Canceled userId={userId} />;
  if (sessionId === undefined) return <Failed text="Missing session ID" />;
  if (isRestoring) return <Asking />;
  if (userId === undefined) return <Failed text="Authentication required. Please log in." action={signIn} />;
  return <Watched key={sessionId} sessionId={sessionId} isHinted={isHinted} userId={userId} />;
}

function Watched({ sessionId, isHinted, userId }: { sessionId: string; isHinted: boolean; userId: string }) {
  const verdict = useVerdict(sessionId, isHinted);
  useEndOfPayment(verdict, userId);
  if (!verdict) return <Asking />;
  if (verdict.kind === 'error') return <Failed text={verdict.text} sessionId={sessionId} />;
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
      // a page that was left asks no more
      wait: (delayMs) => new Promise((resolve) => isWanted && window.setTimeout(resolve, delayMs)),
    }).then((reached) => isWanted && setVerdict(reached));
    return () => {
      isWanted = false;
    };
  }, [sessionId, isHinted]);
  return verdict;
}

/** After success and an unknown status: tells the other tabs, and goes to the dashboard. An error stays. */
function useEndOfPayment(verdict: Verdict | undefined, userId: string): void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const hasEnded = verdict !== undefined && verdict.kind !== 'error';
  useEffect(() => {
    if (!hasEnded) return undefined;
    void announceSubscriptionUpdate(queries, userId);
    // replaced, so that Back does not lead to a page that leads away again
    const timer = window.setTimeout(() => void navigate({ to: '/dashboard', replace: true }), redirectAfterMs);
    return () => window.clearTimeout(timer);
  }, [hasEnded, navigate, queries, userId]);
}

function Asking() {
  return <PaymentCard tone="busy" title="Checking your payment…" text="This takes a few seconds at most." />;
}

/** The address of a page that was left names no payment: the one that this tab began last is looked up. */
function Canceled({ userId }: { userId: string | undefined }) {
  const sessionId = begunPayment();
  const { data } = useQuery({
    queryKey: [...billingKey(userId ?? ''), 'begun-payment', sessionId],
    queryFn: () => billingApi.getPaymentSession({ params: { sessionId: sessionId ?? '' } }),
    enabled: userId !== undefined && sessionId !== undefined,
    retry: false,
  });
  const closed = data && closedText(data.data);
  return (
    <PaymentCard
      tone="idle"
      title="Payment Canceled"
      text="Your payment was canceled. No charges were made."
      actions={
        <>
          <LinkButton variant="primary" to="/plans">
            View Plans
          </LinkButton>
          <LinkButton to="/marketplace">Browse Servers</LinkButton>
        </>
      }
    >
      {closed !== undefined && (
        <div className="w-full text-left">
          <Notice>{closed}</Notice>
        </div>
      )}
    </PaymentCard>
  );
}

function Failed({ text, sessionId, action }: { text: string; sessionId?: string; action?: ReactNode }) {
  return (
    <PaymentCard
      tone="bad"
      title="Error"
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
