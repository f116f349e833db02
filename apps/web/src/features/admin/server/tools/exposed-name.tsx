/** The tool's name in the all-servers link, as it appears in clients, logs and reports. */
export function ExposedName({ name }: { name: string }) {
  return (
    <span className="basis-full text-xs font-normal wrap-anywhere text-quiet">
      Clients see <code className="font-mono">{name}</code>
    </span>
  );
}
