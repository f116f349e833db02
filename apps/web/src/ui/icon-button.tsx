import type { ReactNode } from 'react';
import { buttonClasses } from './button-look.ts';
import type { ButtonProps } from './button.tsx';
import { Spinner } from './state/spinner.tsx';
import { Tooltip } from './overlay/tooltip.tsx';

export type IconButtonProps = Omit<ButtonProps, 'children' | 'wide' | 'icon'> & {
  /** The accessible name, and the tooltip. */
  label: string;
  icon: ReactNode;
};

export function IconButton({ label, icon, variant = 'ghost', size, loading, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} describes={false}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        aria-busy={loading || undefined}
        aria-disabled={loading || rest['aria-disabled']}
        className={buttonClasses({ variant, size, square: true }, className)}
      >
        {loading ? <Spinner /> : icon}
      </button>
    </Tooltip>
  );
}
