import ChevronDown from 'lucide-react/icons/chevron-down';
import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { useFieldLink } from './field-context.ts';
import { controlClasses } from './input.tsx';

export type SelectOption<Value extends string> = { value: Value; label: string };

export type SelectProps<Value extends string> = Omit<
  ComponentProps<'select'>,
  'style' | 'value' | 'onChange' | 'children' | 'size' | 'multiple'
> & {
  options: readonly SelectOption<Value>[];
  value: Value;
  onChange: (value: Value) => void;
};

/**
 * A choice of one among few. The browser's own select works best on phones, by keyboard and with screen readers. Put it
 * into a Field.
 */
export function Select<Value extends string>({ options, value, onChange, className, ...rest }: SelectProps<Value>) {
  return (
    <span className={classNames('relative block min-w-0', className)}>
      <select
        {...useFieldLink()}
        {...rest}
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen) onChange(chosen.value);
        }}
        className={classNames(controlClasses, 'h-9 appearance-none truncate pr-8 pl-3')}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        size={16}
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-quiet"
      />
    </span>
  );
}
