import type { listPersonSignIns, SignInOutcome } from '@souk/contract/admin/person.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { formatMoment } from '#ui/text/amount.ts';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { Provider } from '../users/provider.tsx';
import { PagedList } from './paged-list.tsx';
import { signInsQuery, type PersonListProps } from './person-queries.ts';

type SignIn = AnswerOutput<typeof listPersonSignIns>['signIns'][number];

const words: Readonly<Record<SignInOutcome, string>> = {
  signed_in: 'Signed in',
  deactivated: 'Refused: deactivated',
  not_allowed: 'Refused: not allowed here',
  other_account: 'Refused: another account was chosen',
  not_asked: 'Refused: the provider did not ask again',
};

const Outcome = ({ outcome }: Pick<SignIn, 'outcome'>) => (
  <StatusBadge status={outcome} tone={outcome === 'signed_in' ? 'good' : 'bad'} quiet={outcome === 'signed_in'}>
    {words[outcome]}
  </StatusBadge>
);

const columns: readonly TableColumn<SignIn>[] = [
  {
    id: 'time',
    header: 'Time',
    rowHeader: true,
    cell: ({ at, provider, address, browserName, outcome }) => (
      <div>
        <time dateTime={at} className="tabular-nums">
          {formatMoment(at)}
        </time>
        <div className="mt-1 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-[0.8125rem] font-normal text-quiet sm:hidden">
          <Outcome outcome={outcome} />
          <Provider id={provider} />
          {browserName !== null && <span>{browserName}</span>}
          {address !== null && <span className="wrap-anywhere">{address}</span>}
        </div>
      </div>
    ),
  },
  { id: 'outcome', header: 'Outcome', wideOnly: true, cell: (one) => <Outcome {...one} /> },
  { id: 'way', header: 'Provider', wideOnly: true, cell: ({ provider }) => <Provider id={provider} /> },
  { id: 'browser', header: 'Browser', wideOnly: true, cell: ({ browserName }) => browserName ?? 'Unknown' },
  { id: 'address', header: 'Address', wideOnly: true, cell: ({ address }) => address ?? 'Not known' },
];

/** Sign-ins of the last 90 days, including refused ones. */
export function SignInsPart({ adminId, personId, search, onChange }: PersonListProps) {
  const list = useQuery(signInsQuery(adminId, personId, search));
  return (
    <PagedList
      list={list}
      label="sign-ins"
      search={search}
      onChange={onChange}
      count={({ signIns }) => signIns.length}
      empty={{ title: 'No sign-ins in the last 90 days' }}
    >
      {({ signIns }) => <Table caption="Sign-ins" columns={columns} rows={signIns} rowKey={({ id }) => id} />}
    </PagedList>
  );
}
