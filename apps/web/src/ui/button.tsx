import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { buttonClasses, type ButtonLook } from './button-look.ts';
import { Spinner } from './state/spinner.tsx';

export type ButtonProps = Omit<ComponentProps<'button'>, 'style'> &
  ButtonLook & {
    /** Shows a spinner instead of the icon. Clicks do nothing, and the button keeps the focus. */
    loading?: boolean | undefined;
    icon?: ReactNode;
  };

/**
 * A button with type="button" by default. Don't disable a submit button before the form is sent: show what is missing.
 */
export function Button({ variant, size, wide, loading, icon, className, children, onClick, ...rest }: ButtonProps) {
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // aria-disabled rather than disabled: a disabled button loses the focus, and keyboard users their place in the form
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
