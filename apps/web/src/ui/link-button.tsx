import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { buttonClasses, type ButtonLook } from './button-look.ts';

export type AnchorButtonProps = Omit<ComponentProps<'a'>, 'style'> & ButtonLook & { icon?: ReactNode };

/** A plain link (another site, an app's deep link, mailto:) that looks like a button. */
export function AnchorButton({ variant, size, wide, icon, className, children, ...rest }: AnchorButtonProps) {
  return (
    <a {...rest} className={buttonClasses({ variant, size, wide }, className)}>
      {icon}
      {children}
    </a>
  );
}

/** A link to one of our screens that looks like a button: takes the router's Link props (to, params, search). */
export const LinkButton = createLink(AnchorButton);
