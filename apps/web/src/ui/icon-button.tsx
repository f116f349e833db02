import type { ComponentProps, ReactNode } from 'react';
import { buttonClasses, type ButtonSize } from './button-look.ts';
import { Tooltip } from './overlay/tooltip.tsx';

export type IconButtonProps = Omit<ComponentProps<'button'>, 'children' | 'style'> & {
  label: string;
  icon: ReactNode;
  size?: ButtonSize;
};

export function IconButton({ label, icon, size, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} describes={false}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={buttonClasses({ variant: 'ghost', size, square: true }, className)}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
