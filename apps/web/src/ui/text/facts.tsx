import { Children, Fragment, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';

/**
 * Short facts in a row with a dot between them. Lines break between facts, without a dot at either end. Null and false
 * are left out.
 */
export function Facts({ children, className }: { children: ReactNode; className?: string | undefined }) {
  return (
    // the dot before a line's first fact lies outside the row and is clipped
    <span className={classNames('flex flex-wrap gap-x-3', className)} style={{ overflowX: 'clip' }}>
      {Children.toArray(children).map((fact, index) => (
        <Fragment key={index}>
          {index > 0 && ' '}
          <span className="relative max-w-full">
            {index > 0 && (
              <>
                <span aria-hidden className="absolute" style={{ left: '-0.5rem' }}>
                  ·
                </span>{' '}
              </>
            )}
            {fact}
          </span>
        </Fragment>
      ))}
    </span>
  );
}
