import type { NeededSecret } from '@souk/contract/admin/secrets.ts';
import { Notice } from '#ui/state/notice.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { Code } from '../../code.tsx';
import { counted } from '../../counted.ts';

export type MissingSecretsProps = {
  /** The server's id. */
  id: string;
  count: number;
  /** Which ones; undefined: they are not read, or not yet. */
  missing?: readonly Pick<NeededSecret, 'variable'>[] | undefined;
  onLeave: () => void;
};

/** What a deployment leaves without an answer, and where that is mended. Nothing where no secret is missing. */
export function MissingSecrets({ id, count, missing = [], onLeave }: MissingSecretsProps) {
  if (count === 0) return null;
  const variables = missing.flatMap(({ variable }) => variable ?? []);
  return (
    <Notice>
      {counted(count, 'secret is', 'secrets are')} missing: the server will not answer until you enter{' '}
      {count === 1 ? 'it' : 'them'} under{' '}
      <TextLink to="/admin" search={{ tab: 'manifests', id, part: 'secrets' }} onClick={onLeave}>
        Secrets
      </TextLink>
      {variables.length > 0 && ', or the operator sets '}
      {variables.map((variable, index) => (
        <span key={variable}>
          {index > 0 && ' and '}
          <Code>{variable}</Code>
        </span>
      ))}
      {'.'}
    </Notice>
  );
}
