import { useMemo, useRef, type ComponentProps } from 'react';
import { classNames } from '#ui/class-names.ts';
import { useFieldLink } from '#ui/form/field-context.ts';

export type TextWithLinesProps = Omit<ComponentProps<'textarea'>, 'style' | 'value' | 'onChange' | 'wrap'> & {
  value: string;
  onChange: (value: string) => void;
};

/** A code text area with line numbers and without wrapping. Inside a Field, it is linked to its label. */
export function TextWithLines({ value, onChange, className, ...rest }: TextWithLinesProps) {
  const numbers = useRef<HTMLPreElement>(null);
  const count = value.split('\n').length;
  const lineNumbers = useMemo(() => Array.from({ length: count }, (_, index) => index + 1).join('\n'), [count]);
  return (
    <div
      className={classNames(
        'flex overflow-hidden rounded-md border border-line-strong bg-surface font-mono text-[0.8125rem]/5 focus-within:border-accent focus-within:outline-1 focus-within:outline-accent has-aria-invalid:border-bad has-aria-invalid:outline-bad',
        className,
      )}
    >
      <pre
        ref={numbers}
        aria-hidden
        className="shrink-0 overflow-hidden border-r border-line bg-ground px-2 py-2 text-right text-faint select-none"
      >
        {lineNumbers}
      </pre>
      <textarea
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        {...useFieldLink()}
        {...rest}
        wrap="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onScroll={(event) => {
          if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop;
        }}
        className="min-w-0 flex-1 resize-none bg-transparent px-3 py-2 whitespace-pre outline-none max-sm:text-base/5"
      />
    </div>
  );
}
