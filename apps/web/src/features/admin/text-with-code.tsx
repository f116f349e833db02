/** A text of the broker in which names stand between backticks, as `count_stock`: they are shown as code. */
export function TextWithCode({ text }: { text: string }) {
  const parts = text.split('`');
  // an odd number of backticks is none of ours: a manifest's own text may hold any
  if (parts.length % 2 === 0) return text;
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the parts of one text never change places
      <code key={index} className="font-mono text-[0.9em]">
        {part}
      </code>
    ),
  );
}

/** Items of a list, one for each text. */
export const ItemsWithCode = ({ texts }: { texts: readonly string[] }) =>
  texts.map((text) => (
    <li key={text}>
      <TextWithCode text={text} />
    </li>
  ));
