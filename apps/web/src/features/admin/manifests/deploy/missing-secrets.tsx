import type { NeededSecret } from '@souk/contract/admin/secrets.ts';
import { Notice } from '#ui/state/notice.tsx';
import { counted } from '#ui/text/amount.ts';
import { TextLink } from '#ui/text/text-link.tsx';
import { Code } from '../../code.tsx';

export type MissingSecretsProps = {
  id: string;
  count: number;
  /** The missing secrets; undefined if they aren't loaded. */
  missing?: readonly Pick<NeededSecret, 'variable'>[] | undefined;
  onLeave: () => void;
};

/** Warns of missing secrets, with a link to enter them. Renders nothing if none are missing. */
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
