/** The name that a button is about, read out after its visible word. */
export function HiddenName({ name }: { name: string }) {
  return (
    <span dir="auto" className="sr-only">
      {' '}
      {name}
    </span>
  );
}
