import { useSession } from '#features/identity/session/session-provider.tsx';
import { counted } from '#ui/text/amount.ts';
import { config } from '../config.ts';

export function WelcomeOffer({ className }: { className: string }) {
  const { user } = useSession();
  const credits = config.welcomeCredits;
  if (user || credits === 0) return null;
  return (
    <p className={className}>
      A new account is given {counted(credits, 'credit')} to try paid tools with, once for each{' '}
      <span className="whitespace-nowrap">e-mail address</span>.
    </p>
  );
}
