/** A text from the broker. Names in backticks, such as `count_stock`, are shown as code. */
export function TextWithCode({ text }: { text: string }) {
  const parts = text.split('`');
  // an odd number of backticks isn't ours: a manifest's own text may contain any
  if (parts.length % 2 === 0) return text;
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the parts of a text keep their order
      <code key={index} className="font-mono text-[0.9em]">
        {part}
      </code>
    ),
  );
}

export const ItemsWithCode = ({ texts }: { texts: readonly string[] }) =>
  texts.map((text) => (
    <li key={text}>
      <TextWithCode text={text} />
    </li>
  ));
