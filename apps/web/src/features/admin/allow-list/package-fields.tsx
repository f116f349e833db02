import type { AllowedPackageForm } from '@souk/contract/admin/allowances.ts';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { Select } from '#ui/form/select.tsx';
import { TextArea } from '#ui/form/text-area.tsx';
import { linesOf } from '../lines-of.ts';

/** The form as typed: lists have one entry per line. */
export type TypedPackage = {
  alias: string;
  package: string;
  bin: string;
  args: string;
  env: string;
  secrets: string;
  network: AllowedPackageForm['network'];
};
export const emptyPackage: TypedPackage = {
  alias: '',
  package: '',
  bin: '',
  args: '',
  env: '',
  secrets: '',
  network: 'none',
};

const networks = [
  { value: 'none', label: 'None' },
  { value: 'public', label: 'Public addresses' },
] as const;

/** Returns the form to send. The broker validates it. */
export function formOf({ alias, package: spec, bin, args, env, secrets, network }: TypedPackage): AllowedPackageForm {
  const variables = linesOf(env).map((line): [string, string] => {
    const at = line.indexOf('=');
    return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
  });
  return {
    alias: alias.trim(),
    package: spec.trim(),
    ...(bin.trim() !== '' && { bin: bin.trim() }),
    args: linesOf(args),
    env: Object.fromEntries(variables),
    secrets: linesOf(secrets),
    network,
  };
}

export const variablesOf = ({ env }: AllowedPackageForm): string[] =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`);

/** Errors by field. The broker names an argument or a variable by its position. */
export type PackageProblems = Partial<Record<keyof TypedPackage, string>>;

export function PackageFields({
  typed,
  problems,
  onChange,
}: {
  typed: TypedPackage;
  problems: PackageProblems;
  onChange: (typed: TypedPackage) => void;
}) {
  const control = (name: Exclude<keyof TypedPackage, 'network'>) =>
    ({
      value: typed[name],
      autoComplete: 'off',
      autoCapitalize: 'off',
      spellCheck: false,
      className: 'font-mono',
      onChange: (event: { target: { value: string } }) => onChange({ ...typed, [name]: event.target.value }),
    }) as const;
  return (
    <>
      <Field label="Package" hint="At an exact version, such as @scope/name@1.2.3" error={problems.package} required>
        <Input {...control('package')} />
      </Field>
      <Field label="Alias" hint="Manifests use it as their command" error={problems.alias} required>
        <Input {...control('alias')} />
      </Field>
      <Field label="Network">
        <Select options={networks} value={typed.network} onChange={(network) => onChange({ ...typed, network })} />
      </Field>
      <Field
        label="Arguments (optional)"
        hint="One per line. Each is passed unchanged, without a shell."
        error={problems.args}
      >
        <TextArea rows={2} {...control('args')} />
      </Field>
      <Field label="Variables (optional)" hint="NAME=value, one per line. No secrets here." error={problems.env}>
        <TextArea rows={2} {...control('env')} />
      </Field>
      <Field
        label="Secrets (optional)"
        hint="Names of variables, one per line. Enter their values on each server's page."
        error={problems.secrets}
      >
        <TextArea rows={2} {...control('secrets')} />
      </Field>
      <Field
        label="Command of the package (optional)"
        hint="Needed only if the package has several commands."
        error={problems.bin}
      >
        <Input {...control('bin')} />
      </Field>
    </>
  );
}
