import type { AllowanceList, AllowedPackage } from '@souk/contract/admin/allowances.ts';
import { useState } from 'react';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { adminApi } from '../admin-api.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { Code } from '../code.tsx';
import { EntryRow, RemoveButton } from '../entry-row.tsx';
import { Section } from '../section.tsx';
import { AddPackageDialog } from './add-package-dialog.tsx';
import { variablesOf } from './package-fields.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { UsedBy } from './used-by.tsx';
import { commandLine } from '../command-line.ts';

type PackagesProps = AllowanceList['packages'] & Pick<AdminPartProps, 'userId' | 'signInAgain'>;

/** The npm packages that manifests can start. */
export function Packages({ mayAdd, startsPrograms, added, ...dialog }: PackagesProps) {
  const [adding, setAdding] = useState<'package'>();
  const [removing, setRemoving] = useState<AllowedPackage>();
  return (
    <Section
      id="allowed-packages"
      title="npm packages"
      text="Programs that manifests can start by an alias, in addition to those of the operator’s allow-list. They run in a sandbox."
      actions={
        mayAdd && (
          <Button variant="primary" size="small" onClick={() => setAdding('package')}>
            Allow a package
          </Button>
        )
      }
    >
      {!mayAdd && (
        <Notice>
          Only the operator can change this list. To let administrators add packages, set{' '}
          <Code>ADMIN_MAY_ALLOW=packages</Code>
          {!startsPrograms && (
            <>
              {' '}
              and <Code>STDIO=allowlist</Code>
            </>
          )}{' '}
          and restart Souk. It isn’t on by default because anyone who can add a package chooses what this machine runs.
          {added.length > 0 && ' Until then, packages that administrators added earlier aren’t started.'}
        </Notice>
      )}
      {added.length === 0 ? (
        <EmptyState
          title="No package was added"
          text="Manifests can start the programs of the operator’s allow-list."
        />
      ) : (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface">
          {added.map((one) => (
            <PackageRow key={one.form.alias} item={one} onRemove={() => setRemoving(one)} />
          ))}
        </ul>
      )}
      <EachOpening asked={adding}>
        {(_, open) => <AddPackageDialog {...dialog} open={open} onClose={() => setAdding(undefined)} />}
      </EachOpening>
      <EachOpening asked={removing}>
        {({ form: { alias }, servers }, open) => (
          <RemoveDialog
            {...dialog}
            name={alias}
            servers={servers}
            remove={() => adminApi.removeAllowedPackage({ body: { alias } })}
            open={open}
            onClose={() => setRemoving(undefined)}
          />
        )}
      </EachOpening>
    </Section>
  );
}

function PackageRow({ item, onRemove }: { item: AllowedPackage; onRemove: () => void }) {
  const { form, added, servers, isShadowed } = item;
  const { alias, args, secrets } = form;
  const variables = variablesOf(form);
  return (
    <EntryRow
      name={alias}
      marks={
        <>
          <Badge>{form.network === 'none' ? 'No network' : 'Public addresses'}</Badge>
          {isShadowed && <Badge tone="bad">Not used</Badge>}
        </>
      }
      buttons={<RemoveButton name={alias} onClick={onRemove} />}
    >
      <p>
        <Code>{form.package}</Code>
        {args.length > 0 && (
          <>
            {' '}
            with the arguments <Code>{args.join(' ')}</Code>
          </>
        )}
      </p>
      {variables.length > 0 && (
        <p>
          Variables <Code>{variables.join(', ')}</Code>
        </p>
      )}
      {secrets.length > 0 && (
        <p>
          Secrets <Code>{secrets.join(', ')}</Code>, entered on the page of each server
        </p>
      )}
      {isShadowed && <p>The operator’s allow-list has a program with this alias, which is started instead.</p>}
      <p>
        Added <Ago moment={added.at} /> by <span className="wrap-anywhere">{added.by ?? commandLine}</span>.{' '}
        <UsedBy servers={servers} />
      </p>
    </EntryRow>
  );
}
