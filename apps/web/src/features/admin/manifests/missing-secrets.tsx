import { Notice } from '#ui/notice.tsx';
import { TextLink } from '#ui/text-link.tsx';

/** What a deployment leaves without an answer, and where that is mended. Nothing where no secret is missing. */
export function MissingSecrets({ id, count, onLeave }: { id: string; count: number; onLeave: () => void }) {
  if (count === 0) return null;
  const missing = count === 1 ? '1 secret is' : `${count} secrets are`;
  return (
    <Notice>
      {missing} missing: the server will not answer until you enter {count === 1 ? 'it' : 'them'} under{' '}
      <TextLink to="/admin" search={{ tab: 'manifests', id, part: 'secrets' }} onClick={onLeave}>
        Secrets
      </TextLink>
      {'.'}
    </Notice>
  );
}
