import type { AllowedPackageForm, PackagePreview } from '@souk/contract/admin/allowances.ts';
import type { ReactNode } from 'react';
import { Notice } from '#ui/state/notice.tsx';
import { counted } from '#ui/text/amount.ts';
import { variablesOf } from './package-fields.tsx';

export function PackageShown({ form, preview }: { form: AllowedPackageForm; preview: PackagePreview }) {
  const { alias, args, secrets, network } = form;
  const variables = variablesOf(form);
  return (
    <>
      <Notice tone="bad">
        This machine will run the code of {preview.count === 0 ? 'this package' : `${preview.count + 1} packages`}.
        Allow it only if you trust its authors.
      </Notice>
      <dl className="flex flex-col gap-3">
        <Fact name="Alias in manifests">{alias}</Fact>
        <Fact name="Package">{form.package}</Fact>
        <Fact name="Hash at the registry">{preview.integrity}</Fact>
        {preview.count > 0 && (
          <Fact name={`Comes with ${counted(preview.count, 'more package')}`}>{preview.comesWith.join(', ')}</Fact>
        )}
        {args.length > 0 && <Fact name="Arguments">{args.join(' · ')}</Fact>}
        {variables.length > 0 && <Fact name="Variables">{variables.join(' · ')}</Fact>}
        {secrets.length > 0 && <Fact name="Secrets, entered for each server">{secrets.join(', ')}</Fact>}
        <Fact name="Network">{network === 'none' ? 'None' : 'Public addresses, not your network'}</Fact>
      </dl>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-[0.8125rem] text-quiet">{name}</dt>
      <dd className="max-h-24 overflow-y-auto font-mono text-[0.8125rem] wrap-anywhere" tabIndex={0}>
        {children}
      </dd>
    </div>
  );
}
