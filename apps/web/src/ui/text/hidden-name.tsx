/** Whose button it is, read after the button's visible word and not seen. */
export function HiddenName({ name }: { name: string }) {
  return (
    <span dir="auto" className="sr-only">
      {' '}
      {name}
    </span>
  );
}
