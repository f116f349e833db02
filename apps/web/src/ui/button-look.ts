import { classNames } from './class-names.ts';

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger';
export type ButtonSize = 'small' | 'medium' | 'large';

export type ButtonLook = {
  /** primary: the main action here (ink). secondary: the default. ghost: no border. danger: destructive. */
  variant?: ButtonVariant | undefined;
  /** small: 28 px high; medium: 36 px; large: 44 px. */
  size?: ButtonSize | undefined;
  wide?: boolean | undefined;
};

const base =
  'relative inline-flex shrink-0 items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap select-none no-underline transition-colors aria-disabled:opacity-60 disabled:opacity-60';

const variants: Readonly<Record<ButtonVariant, string>> = {
  primary: 'border-transparent bg-ink text-ink-text hover:not-disabled:bg-ink-hover',
  secondary: 'border-line bg-surface text-text hover:not-disabled:border-line-strong hover:not-disabled:bg-hover',
  ghost: 'border-transparent text-quiet hover:not-disabled:bg-hover hover:not-disabled:text-text',
  danger: 'border-transparent bg-bad-fill text-white hover:not-disabled:brightness-110',
};

const sizes: Readonly<Record<ButtonSize, string>> = {
  small: 'h-7 px-2.5 text-[0.8125rem]',
  medium: 'h-9 px-3.5',
  large: 'h-11 px-5 text-[0.9375rem]',
};

const squareSizes: Readonly<Record<ButtonSize, string>> = { small: 'size-7', medium: 'size-9', large: 'size-11' };

export function buttonClasses(look: ButtonLook & { square?: boolean | undefined }, extra?: string): string {
  const size = look.size ?? 'medium';
  return classNames(
    base,
    variants[look.variant ?? 'secondary'],
    look.square ? squareSizes[size] : sizes[size],
    look.wide && 'w-full',
    extra,
  );
}
