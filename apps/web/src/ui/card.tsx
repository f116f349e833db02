import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

export type CardProps = Omit<ComponentProps<'div'>, 'style'> & {
  /** Use section or article if the card has a heading of its own. */
  as?: 'div' | 'section' | 'article' | 'li' | undefined;
  /** 16 px (medium), 24 px (large), or none for tables and lists that reach the edge. */
  padding?: 'none' | 'medium' | 'large' | undefined;
  /**
   * The card holds one stretched link (class `after:absolute after:inset-0`), so the whole card responds to the
   * pointer.
   */
  interactive?: boolean | undefined;
};

const paddings = { none: '', medium: 'p-4', large: 'p-5 sm:p-6' } as const;

/** A box with a border. It fills its height, so that all cards of a grid row are equally high. */
export function Card({ as: Element = 'div', padding = 'medium', interactive, className, ...rest }: CardProps) {
  return (
    // why the cast: JSX cannot infer that the four elements take the same attributes
    <Element
      {...(rest as object)}
      className={classNames(
        'relative min-w-0 rounded-lg border border-line bg-surface',
        interactive && 'transition-colors hover:border-line-strong has-[a:focus-visible]:border-accent',
        paddings[padding],
        className,
      )}
    />
  );
}

/** A card of rows with lines between them, each an <li>. */
export function CardList(list: Pick<ComponentProps<'ul'>, 'aria-label' | 'aria-labelledby' | 'children'>) {
  return (
    <Card padding="none">
      <ul {...list} className="divide-y divide-line" />
    </Card>
  );
}
