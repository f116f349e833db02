import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { useFieldLink } from './field-context.ts';
import { controlClasses } from './input.tsx';

/** Several lines of text. Inside a Field it is connected to the label, hint and error. */
export function TextArea({ className, ...rest }: Omit<ComponentProps<'textarea'>, 'style'>) {
  return (
    <textarea
      dir="auto"
      rows={4}
      {...useFieldLink()}
      {...rest}
      className={classNames(controlClasses, 'px-3 py-2', className)}
    />
  );
}
