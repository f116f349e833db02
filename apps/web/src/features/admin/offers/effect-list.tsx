export function EffectList({ effects }: { effects: readonly string[] }) {
  return (
    <ul aria-label="What happens" className="flex list-disc flex-col gap-1.5 pl-5 marker:text-quiet">
      {effects.map((effect) => (
        <li key={effect} className="text-pretty wrap-anywhere">
          {effect}
        </li>
      ))}
    </ul>
  );
}
