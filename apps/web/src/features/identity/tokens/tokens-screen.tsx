import type { PersonalToken } from '@souk/contract/identity.ts';
import { useQuery } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import Plus from 'lucide-react/icons/plus';
import { useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { NewTokenDialog, type NewToken } from './new-token-dialog.tsx';
import { tokensQuery } from '../queries.ts';
import { RevokeTokenDialog } from './revoke-token-dialog.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { LoadError } from '#web/loading/load-error.tsx';
import { TokenStats } from './token-stats.tsx';
import { TokensTable } from './tokens-table.tsx';

export function TokensScreen({ userId }: { userId: string }) {
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<NewToken>();
  const [revoking, setRevoking] = useState<PersonalToken>();
  const [said, setSaid] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const createButton = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden size={16} />}
      onPointerEnter={preloadDialog}
      onClick={() => setCreating(true)}
    >
      Create token
    </Button>
  );
  return (
    <TitledSection
      id="tokens-heading"
      focusRef={heading}
      title="Access tokens"
      text={
        <>
          For scripts and clients that can't sign in on their own. Programs use a token to call your tools. It can't
          change your account.{' '}
          <TextAnchor href="/docs/api" newTab>
            API reference
          </TextAnchor>
        </>
      }
      actions={createButton}
    >
      <TokenList userId={userId} onRevoke={setRevoking} />
      <p role="status" className="sr-only">
        {said}
      </p>
      <CreateTokenDialog
        userId={userId}
        open={creating}
        onOpenChange={setCreating}
        onCreated={(token) => {
          setCreating(false);
          setCreated(token);
        }}
      />
      <NewTokenDialog token={created} onClose={() => setCreated(undefined)} />
      <RevokeTokenDialog
        userId={userId}
        token={revoking}
        onClose={() => setRevoking(undefined)}
        onRevoked={(token) => {
          setSaid(`Token “${token.name}” is revoked.`);
          // the focused button was removed with its row
          heading.current?.focus();
        }}
      />
    </TitledSection>
  );
}

function TokenList({ userId, onRevoke }: { userId: string; onRevoke: (token: PersonalToken) => void }) {
  const list = useQuery(tokensQuery(userId));
  if (list.isPending) return <ListSkeleton label="Loading your access tokens…" />;
  if (list.isError) return <LoadError title="Failed to fetch PATs" query={list} />;
  const { tokens } = list.data;
  return (
    <>
      {tokens.length === 0 ? (
        <EmptyState
          icon={<KeyRound aria-hidden />}
          title="No access tokens"
          text="Most clients don't need one: paste the link and they sign you in. Create a token for a script or a server."
        />
      ) : (
        <TokensTable tokens={tokens} onRevoke={onRevoke} />
      )}
      <TokenStats userId={userId} />
    </>
  );
}
