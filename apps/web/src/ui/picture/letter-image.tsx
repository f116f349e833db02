import { useState, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';

export type LetterImageProps = {
  /** Name whose first letter replaces a picture that is missing or cannot be loaded. */
  name: string;
  src?: string | null | undefined;
  /** Pixels. */
  size?: 20 | 24 | 32 | 40 | 48 | 64 | undefined;
  fallback?: ReactNode;
  className?: string | undefined;
};

const sizes = {
  20: 'size-5 text-[0.6875rem]',
  24: 'size-6 text-xs',
  32: 'size-8 text-sm',
  40: 'size-10 text-base',
  48: 'size-12 text-lg',
  64: 'size-16 text-2xl',
} as const;

export const initialOf = (name: string): string => Array.from(name.trim())[0]?.toUpperCase() ?? '?';

/** A picture, or the first letter of a name. Decorative: the name is always shown next to it as text. */
export function LetterImage({ name, src, size = 40, fallback, className }: LetterImageProps) {
  const [broken, setBroken] = useState<string>();
  return (
    <span
      aria-hidden
      className={classNames(
        'inline-flex shrink-0 items-center justify-center overflow-hidden bg-sunken font-semibold text-quiet select-none',
        sizes[size],
        className,
      )}
    >
      {src && src !== broken ? (
        <img
          src={src}
          alt=""
          width={size}
          height={size}
          loading="lazy"
          decoding="async"
          referrerPolicy="no-referrer"
          className="size-full object-cover"
          onError={() => setBroken(src)}
        />
      ) : (
        (fallback ?? initialOf(name))
      )}
    </span>
  );
}
