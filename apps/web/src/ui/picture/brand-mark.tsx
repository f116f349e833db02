/** The mark: a doorway with a pointed arch, and a dot in it for the link. Decorative, in the color of the text. */
export function BrandMark({ size, className }: { size: number; className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinejoin="round"
      aria-hidden="true"
      className={className}
    >
      <path d="M4 21.5V13c0-4.5 3.2-7.8 8-10.5 4.8 2.7 8 6 8 10.5v8.5z" />
      <circle cx="12" cy="14.5" r="2.2" fill="currentColor" stroke="none" />
    </svg>
  );
}
