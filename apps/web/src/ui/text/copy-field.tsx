import { useId } from 'react';
import { classNames } from '../class-names.ts';
import { CopyButton } from './copy-button.tsx';

export type CopyFieldProps = {
  label: string;
  hideLabel?: boolean | undefined;
  value: string;
  hint?: string | undefined;
  /** Copying is the main action here (ink). */
  primary?: boolean | undefined;
};

/** A value to copy, such as a link or a token: one line that selects itself, with a copy button. */
export function CopyField({ label, hideLabel, value, hint, primary }: CopyFieldProps) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className={classNames('font-medium', hideLabel && 'sr-only')}>
        {label}
      </label>
      <div className="flex flex-wrap items-center justify-end gap-1 rounded-md border border-line-strong bg-surface p-1 has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-accent">
        <input
          id={id}
          readOnly
          value={value}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onFocus={(event) => event.currentTarget.select()}
          // the field is next to the button if all of it fits, else above a button that is as wide as the field
          style={{ flexBasis: `${value.length + 3}ch`, flexGrow: 999 }}
          className="h-7 max-w-full min-w-0 bg-transparent px-2 font-mono text-xs text-ellipsis outline-none"
        />
        <span className="grow">
          <CopyButton
            wide
            text={value}
            size="small"
            variant={primary ? 'primary' : 'secondary'}
            name={`Copy ${label}`}
          />
        </span>
      </div>
      {hint && (
        <div id={`${id}-hint`} className="text-[0.8125rem] text-pretty text-quiet">
          {hint}
        </div>
      )}
    </div>
  );
}
