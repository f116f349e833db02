import { classNames } from '../class-names.ts';

/** A gray placeholder in the size of the content (`h-4 w-32`). Silent to screen readers. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classNames('block animate-pulse rounded-md bg-hover', className)} />;
}
