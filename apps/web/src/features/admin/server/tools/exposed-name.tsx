/** The name of a tool in the link to all servers: what clients, their logs and their users' reports name. */
export function ExposedName({ name }: { name: string }) {
  return (
    <span className="basis-full text-xs font-normal wrap-anywhere text-quiet">
      Clients see <code className="font-mono">{name}</code>
    </span>
  );
}
