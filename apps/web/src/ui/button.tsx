import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { buttonClasses, type ButtonLook } from './button-look.ts';
import { Spinner } from './state/spinner.tsx';

export type ButtonProps = Omit<ComponentProps<'button'>, 'style'> &
  ButtonLook & {
    /** Under way: a spinner takes the icon's place, clicks do nothing, the button keeps focus. */
    loading?: boolean | undefined;
    /** Before the label, 16 px. */
    icon?: ReactNode;
  };

/** A button. type="button" unless said otherwise. Never disable a submit button before it is sent: show what is missing. */
export function Button({ variant, size, wide, loading, icon, className, children, onClick, ...rest }: ButtonProps) {
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // aria-disabled and not disabled: a disabled button loses focus and its form loses its way back
    if (loading) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      onClick={press}
      aria-busy={loading || undefined}
      aria-disabled={loading || rest['aria-disabled']}
      className={buttonClasses({ variant, size, wide }, className)}
    >
      {loading ? <Spinner /> : icon}
      {children}
    </button>
  );
}
