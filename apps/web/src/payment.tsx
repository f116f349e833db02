import { useLocation } from '@tanstack/react-router';
import { readPaymentSearch } from '#features/billing/payment/payment-search.ts';
import { PaymentScreen } from '#features/billing/payment/payment-screen.tsx';
import { SignInButton } from '#features/identity/header-account.tsx';
import { useSession } from '#features/identity/session/session-provider.tsx';

/** /payment/result with the session. Loaded when its address is opened. */
export function Payment() {
  const { user, isRestoring } = useSession();
  const search = readPaymentSearch(useLocation().searchStr);
  return <PaymentScreen {...search} userId={user?.id} isRestoring={isRestoring} signIn={<SignInButton />} />;
}
