import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { useFieldLink } from './field-context.ts';

/** Classes of all text controls. Text is 16 px on phones, since iOS zooms into smaller fields. */
export const controlClasses =
  'w-full min-w-0 rounded-md border border-line-strong bg-surface text-base text-text transition-colors hover:border-quiet focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-bad aria-invalid:outline-bad sm:text-sm';

/** A line of text. Inside a Field it is connected to the label, hint and error. */
export function Input({ className, ...rest }: Omit<ComponentProps<'input'>, 'style'>) {
  return (
    <input
      dir="auto"
      type="text"
      {...useFieldLink()}
      {...rest}
      className={classNames(controlClasses, 'h-9 px-3', className)}
    />
  );
}
