import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';

export type TextAnchorProps = Omit<ComponentProps<'a'>, 'style'> & {
  /** accent (the default): underlined, for running text. quiet: for navigation, underlined on hover. */
  tone?: 'accent' | 'quiet' | undefined;
  /** Opens a new tab, and says so to screen readers. */
  newTab?: boolean | undefined;
};

/** A plain link in text: another site, mailto:, a part of the page. */
export function TextAnchor({ tone = 'accent', newTab, className, children, ...rest }: TextAnchorProps) {
  return (
    <a
      {...rest}
      {...(newTab && { target: '_blank', rel: 'noreferrer' })}
      className={classNames(
        'rounded-sm underline-offset-3 transition-colors',
        tone === 'accent'
          ? 'text-accent underline decoration-line-strong hover:decoration-current'
          : 'text-quiet hover:text-text hover:underline',
        className,
      )}
    >
      {children}
      {newTab && <span className="sr-only"> (opens a new tab)</span>}
    </a>
  );
}

/** A link in text to one of our screens: takes the router's Link props. */
export const TextLink = createLink(TextAnchor);
