import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import type { ReactNode } from 'react';
import { Card } from '#ui/card.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';

/** Tells a visitor that a service needs an account there. Signed-in users can connect it instead. */
export function AccountNeeded({ name, signIn }: { name: string; signIn: ReactNode }) {
  return (
    <Card className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-72">
        <h2 className="font-semibold">{name} needs your account</h2>
        <p className="mt-1 text-quiet">Sign in here first, then with your {name} account.</p>
      </div>
      {signIn}
    </Card>
  );
}

/** Replaces the tools that a service shows only to connected accounts. */
export function AccountForTools({ server }: { server: ServerAnswer }) {
  const title = server.requires === 'headers' ? 'Enter your key to see your tools' : 'Sign in to see your tools';
  return <EmptyState title={title} text={`What ${server.displayName} offers depends on your account there.`} />;
}
