import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import type { ReactNode } from 'react';
import { Card } from '#ui/card.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { howToGetAccess } from '#web/access-text.ts';

export type NotIncludedProps = {
  server: Pick<ServerAnswer, 'displayName' | 'billing'>;
  /** Visitors: the button that signs in. Without it the text speaks to a signed-in person. */
  signIn?: ReactNode;
};

/** In place of the connect panel, where the person may not use the service. */
export function NotIncluded({ server, signIn }: NotIncludedProps) {
  return (
    <Card padding="large" className="flex flex-col items-start gap-4">
      <div>
        <h2 className="text-base font-semibold">{howToGetAccess(server)}</h2>
        <p className="mt-1 text-quiet">
          {signIn
            ? 'Sign in to see what your plan includes.'
            : `Your plan doesn't include ${server.displayName}, so its tools aren't in your link.`}
        </p>
      </div>
      {signIn ?? (
        <LinkButton to="/marketplace" search={{ price: 'free' }}>
          Browse free services
        </LinkButton>
      )}
    </Card>
  );
}
