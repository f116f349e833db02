import { TextLink } from '#ui/text/text-link.tsx';
import { missingText, useMissingAccounts } from './missing-account.ts';

export type AccountHintProps = { userId: string; service: { id: string; name: string } };

/** Says on a service's card that the user's account there is missing, and where to connect it. */
export function AccountHint({ userId, service: { id, name } }: AccountHintProps) {
  const missing = useMissingAccounts(userId).get(id);
  if (!missing) return null;
  const text = missingText(name, missing);
  return (
    <p className="text-[0.8125rem] text-quiet">
      Your assistants can&apos;t use it yet.{' '}
      <TextLink to="/connect/$serverId" params={{ serverId: id }}>
        {text.charAt(0).toUpperCase() + text.slice(1)}
      </TextLink>
    </p>
  );
}
