import type { PersonalToken } from '@souk/contract/identity.ts';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { Ago, Day } from '#ui/text/moment.tsx';
import { formatDistance } from '#ui/text/distance.ts';
import { useTick } from '#ui/use-tick.ts';
import { scopeTexts } from './token-texts.ts';

const cells: readonly TableColumn<PersonalToken>[] = [
  {
    id: 'name',
    header: 'Name',
    rowHeader: true,
    cell: (token) => (
      <div className="min-w-32">
        <div dir="auto" className="max-w-48 truncate sm:max-w-64" title={token.name}>
          {token.name}
        </div>
        <code className="font-mono text-xs font-normal text-quiet">{token.prefix}…</code>
        <div className="text-xs/5 font-normal text-quiet sm:hidden">
          <Facts>
            <Expiry token={token} label="Expires" />
            {lastUsed(token)}
          </Facts>
        </div>
      </div>
    ),
  },
  {
    id: 'scopes',
    header: 'Scopes',
    wideOnly: true,
    cell: (token) => (
      <span className="flex flex-wrap gap-1">
        {token.scopes.map((scope) => (
          <Badge key={scope}>{scopeTexts[scope].name}</Badge>
        ))}
      </span>
    ),
  },
  { id: 'created', header: 'Created', wideOnly: true, cell: (token) => <Day moment={token.createdAt} /> },
  {
    id: 'expires',
    header: 'Expires',
    wideOnly: true,
    cell: (token) => (
      <div className="whitespace-nowrap">
        <Day moment={token.expiresAt} />
        <div className="text-xs text-quiet">
          <Expiry token={token} />
        </div>
      </div>
    ),
  },
  {
    id: 'last-used',
    header: 'Last used',
    wideOnly: true,
    cell: (token) => <span className="whitespace-nowrap">{lastUsed(token)}</span>,
  },
];

type TokensTableProps = { tokens: readonly PersonalToken[]; onRevoke: (token: PersonalToken) => void };

export function TokensTable({ tokens, onRevoke }: TokensTableProps) {
  const columns: TableColumn<PersonalToken>[] = [
    ...cells,
    {
      id: 'revoke',
      header: 'Revoke',
      hideHeader: true,
      numeric: true,
      cell: (token) => (
        <Button
          size="small"
          aria-label={`Revoke ${token.name}`}
          onPointerEnter={preloadDialog}
          onClick={() => onRevoke(token)}
        >
          Revoke
        </Button>
      ),
    },
  ];
  return <Table caption="Your access tokens" columns={columns} rows={tokens} rowKey={(token) => token.id} />;
}

function Expiry({ token, label }: { token: PersonalToken; label?: string }) {
  useTick();
  const distance = formatDistance(token.expiresAt, Date.now());
  if (token.status === 'expired') return <span className="text-bad">Expired {distance}</span>;
  return <span>{label === undefined ? distance : `${label} ${distance}`}</span>;
}

function lastUsed({ lastUsedAt }: PersonalToken) {
  if (lastUsedAt === null) return 'Never used';
  return (
    <>
      Used <Ago moment={lastUsedAt} />
    </>
  );
}
