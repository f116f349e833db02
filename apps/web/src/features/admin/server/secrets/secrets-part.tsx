import type { NeededSecret, UnusedSecret } from '@souk/contract/admin/secrets.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { Section } from '../../section.tsx';
import type { SignInAgain } from '../../sign-in-again.tsx';
import { figuresQuery, secretsQuery, type ServerPartProps } from '../server-queries.ts';
import { NeededSecretRow, UnusedSecretRow } from './secret-row.tsx';
import { RemoveSecretDialog } from './remove-secret-dialog.tsx';
import { SetSecretDialog } from './set-secret-dialog.tsx';

type Asked = { action: 'set'; secret: NeededSecret } | { action: 'remove'; secret: NeededSecret | UnusedSecret };

const statusMs = 2000;

/** The secrets that a server needs, and those that were entered for an earlier address. */
export function SecretsPart({ userId, serverId, signInAgain }: ServerPartProps & { signInAgain: SignInAgain }) {
  const secrets = useQuery(secretsQuery(userId, serverId));
  // polls, since a changed secret soon changes the status above
  useQuery({ ...figuresQuery(userId, serverId), refetchInterval: statusMs });
  const [asked, setAsked] = useState<Asked>();
  if (!secrets.data) return <NotLoaded query={secrets} label="Loading secrets…" />;
  const { needed, unused } = secrets.data;
  const dialog = { userId, serverId, signInAgain, onClose: () => setAsked(undefined) };
  return (
    <div className="flex flex-col gap-8">
      {needed.length === 0 ? (
        <EmptyState
          title="This server needs no secret"
          text='Headers with "from": "operator" in its manifest, and secrets that its program names, appear here.'
        />
      ) : (
        <Section
          id="server-secrets"
          title="Secrets"
          text="Values are stored encrypted, used immediately, and never shown again. Each goes only to the place it was entered for."
        >
          <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface">
            {needed.map((secret) => (
              <NeededSecretRow
                serverId={serverId}
                key={JSON.stringify([secret.kind, secret.name, secret.place])}
                secret={secret}
                onSet={() => setAsked({ action: 'set', secret })}
                onRemove={() => setAsked({ action: 'remove', secret })}
              />
            ))}
          </ul>
        </Section>
      )}
      {unused.length > 0 && (
        <Section
          id="unused-secrets"
          title="Not used"
          text="Entered for an address or a program that no current version names. They aren’t sent anywhere."
        >
          <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface">
            {unused.map((secret) => (
              <UnusedSecretRow
                key={JSON.stringify([secret.kind, secret.name, secret.place])}
                secret={secret}
                onRemove={() => setAsked({ action: 'remove', secret })}
              />
            ))}
          </ul>
        </Section>
      )}
      <EachOpening asked={asked}>
        {({ action, secret }, open) =>
          action === 'set' ? (
            <SetSecretDialog {...dialog} secret={secret} open={open} />
          ) : (
            <RemoveSecretDialog {...dialog} secret={secret} open={open} />
          )
        }
      </EachOpening>
    </div>
  );
}
