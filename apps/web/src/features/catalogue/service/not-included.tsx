import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import type { ReactNode } from 'react';
import { Card } from '#ui/card.tsx';
import { sells } from '#web/config.ts';
import { HowToGetAccess } from '#web/own-access/plan-link.tsx';

export type NotIncludedProps = {
  server: Pick<ServerAnswer, 'displayName' | 'billing'>;
  actions: ReactNode;
};

/** Replaces the connect panel for a visitor of a service that is not free. */
export function NotIncluded({ server, actions }: NotIncludedProps) {
  const trialDays = sells ? server.billing?.trialDays : undefined;
  return (
    <Card padding="large" className="flex flex-col items-start gap-4">
      <div>
        <h2 className="text-base font-semibold">
          <HowToGetAccess server={server} />
        </h2>
        <p className="mt-1 text-quiet">
          {trialDays !== undefined && `You can try it for ${trialDays} days. `}Sign in to see what your plan includes.
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">{actions}</div>
    </Card>
  );
}
