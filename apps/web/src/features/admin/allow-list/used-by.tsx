import { TextLink } from '#ui/text/text-link.tsx';

export function UsedBy({ servers }: { servers: readonly string[] }) {
  if (servers.length === 0) return 'No deployed server uses it.';
  return (
    <>
      {'Used by '}
      {servers.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <TextLink to="/admin" search={{ tab: 'manifests', id }}>
            {id}
          </TextLink>
        </span>
      ))}
    </>
  );
}
