import type { AllowanceList, AllowedAddress } from '@souk/contract/admin/allowances.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { adminApi } from '../admin-api.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { Code } from '../code.tsx';
import { EntryRow, RemoveButton } from '../entry-row.tsx';
import { NotLoaded } from '../not-loaded.tsx';
import { Section } from '../section.tsx';
import { allowancesQuery } from './allow-list-queries.ts';
import { AddAddressDialog } from './add-address-dialog.tsx';
import { Packages } from './packages.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { UsedBy } from './used-by.tsx';
import { commandLine } from '../command-line.ts';

/** Addresses and packages that administrators allow in addition to the operator's. */
export function AllowListTab({ userId, signInAgain, search, onSearchChange }: AdminPartProps) {
  const allowances = useQuery(allowancesQuery(userId));
  const { data } = allowances;
  if (!data) return <NotLoaded query={allowances} label="Loading the allow list…" />;
  return (
    <div className="flex flex-col gap-10">
      <Addresses
        {...data.addresses}
        userId={userId}
        signInAgain={signInAgain}
        allow={search.allow}
        onAllowed={() => search.allow !== undefined && onSearchChange({ ...search, allow: undefined }, 'replace')}
      />
      <Packages {...data.packages} userId={userId} signInAgain={signInAgain} />
    </div>
  );
}

function Addresses({
  mayAdd,
  ofOperator,
  added,
  allow,
  onAllowed,
  ...dialog
}: AllowanceList['addresses'] &
  Pick<AdminPartProps, 'userId' | 'signInAgain'> & {
    /** The address that an import needs: the dialog opens with it. */
    allow: string | undefined;
    onAllowed: () => void;
  }) {
  const [adding, setAdding] = useState(mayAdd && allow !== undefined ? { wanted: allow } : undefined);
  const [removing, setRemoving] = useState<AllowedAddress>();
  return (
    <Section
      id="allowed-addresses"
      title="Private addresses"
      text="Servers on the internet need no entry. A server inside your network can be used only if its address is listed here."
      actions={
        mayAdd && (
          <Button variant="primary" size="small" onClick={() => setAdding({ wanted: '' })}>
            Allow an address
          </Button>
        )
      }
    >
      {!mayAdd && (
        <Notice>
          Only the operator can change this list. To let administrators add addresses, set{' '}
          <Code>ADMIN_MAY_ALLOW=addresses</Code> and restart Souk. It isn’t on by default because anyone who can add an
          address can make Souk connect to other machines of your network.
          {added.length > 0 && ' Until then, addresses that administrators added earlier aren’t used.'}
        </Notice>
      )}
      {ofOperator.length + added.length === 0 ? (
        <EmptyState title="No private address is allowed" text="All servers must be on the internet and use https." />
      ) : (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface">
          {added.map((one) => (
            <AddedRow key={one.entry} address={one} onRemove={() => setRemoving(one)} />
          ))}
          {ofOperator.map((entry) => (
            <EntryRow key={entry} name={entry}>
              <p>
                Set by the operator, in <Code>UPSTREAM_ALLOW_ADDRESSES</Code>.
              </p>
            </EntryRow>
          ))}
        </ul>
      )}
      <EachOpening asked={adding}>
        {({ wanted }, open) => (
          <AddAddressDialog
            {...dialog}
            wanted={wanted}
            open={open}
            onClose={() => {
              setAdding(undefined);
              onAllowed();
            }}
          />
        )}
      </EachOpening>
      <EachOpening asked={removing}>
        {({ entry, servers }, open) => (
          <RemoveDialog
            {...dialog}
            name={entry}
            servers={servers}
            remove={() => adminApi.removeAllowedAddress({ body: { entry } })}
            open={open}
            onClose={() => setRemoving(undefined)}
          />
        )}
      </EachOpening>
    </Section>
  );
}

function AddedRow({ address, onRemove }: { address: AllowedAddress; onRemove: () => void }) {
  const { entry, addresses, note, added, servers } = address;
  return (
    <EntryRow name={entry} buttons={<RemoveButton name={entry} onClick={onRemove} />}>
      {note !== '' && (
        <p className="wrap-anywhere text-text">
          <bdi>{note}</bdi>
        </p>
      )}
      {addresses.length > 0 && (
        <p>
          Works only while the name resolves to <Code>{addresses.join(', ')}</Code>
        </p>
      )}
      <p>
        Added <Ago moment={added.at} /> by <span className="wrap-anywhere">{added.by ?? commandLine}</span>.
      </p>
      <p>
        <UsedBy servers={servers} />
      </p>
    </EntryRow>
  );
}
