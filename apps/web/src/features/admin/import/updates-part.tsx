import type { RegistryUpdate } from '@souk/contract/catalogue/registries.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { counted } from '#ui/text/amount.ts';
import { Ago } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi } from '../admin-api.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { useSingleMutation } from '../use-single-mutation.ts';
import { NotLoaded } from '../not-loaded.tsx';
import { updatesQuery } from './import-queries.ts';
import { PickedPreview, pickOf } from './picked-preview.tsx';

/** New versions of imported servers, checked daily and on a click. Each is staged after its preview. */
export function UpdatesPart({ userId, search }: AdminPartProps) {
  const queries = useQueryClient();
  const options = updatesQuery(userId);
  const query = useQuery(options);
  const { data } = query;
  const check = useSingleMutation({
    mutationFn: () => adminApi.checkRegistryUpdates(),
    onSuccess: (answer) => queries.setQueryData(options.queryKey, answer),
  });
  if (search.pick !== undefined && search.registry !== undefined) {
    return (
      <PickedPreview
        userId={userId}
        registryId={search.registry}
        pick={search.pick}
        back={{ tab: 'manifests', import: 'updates' }}
        backText="All updates"
      />
    );
  }
  if (!data) return <NotLoaded query={query} label="Loading updates…" />;
  if (data.followed === 0) {
    return (
      <EmptyState
        title="No servers from a registry"
        text="Once you import a server from a registry, Souk checks there daily for new versions."
        actions={
          <LinkButton to="/admin" search={{ tab: 'manifests', import: 'registry' }}>
            Open registries
          </LinkButton>
        }
      />
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status" className="text-quiet">
          {data.updates.length === 0
            ? 'Every imported server is up to date.'
            : `${counted(data.updates.length, 'update available', 'updates available')}.`}{' '}
          {data.checkedAt !== null && (
            <>
              Last checked <Ago moment={data.checkedAt} />.
            </>
          )}
        </p>
        <Button
          loading={check.isPending}
          icon={<RefreshCw aria-hidden size={16} />}
          onClick={() => check.mutate(undefined)}
        >
          Check now
        </Button>
      </div>
      {check.isError && <Notice tone="bad">{failureText(check.error)}</Notice>}
      {data.failures.length > 0 && (
        <Notice tone="bad">
          <ul>
            {data.failures.map((failure) => (
              <li key={failure}>{failure}.</li>
            ))}
          </ul>
        </Notice>
      )}
      {data.updates.length > 0 && (
        <ul aria-label="Updates" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {data.updates.map((update) => (
            <Update key={update.id} update={update} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Update({ update }: { update: RegistryUpdate }) {
  const { id, name, registry, registryName, from, to, status } = update;
  const isNew = from !== to;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 p-4">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-center gap-2 font-semibold wrap-anywhere">
          <TextLink dir="auto" to="/admin" search={{ tab: 'manifests', id }}>
            {name}
          </TextLink>
          {isNew && (
            <span className="font-normal tabular-nums">
              {from} -&gt; {to}
            </span>
          )}
          {status !== 'active' && <Badge tone="bad">{status === 'deprecated' ? 'Deprecated' : 'Deleted'}</Badge>}
        </p>
        <p className="text-[0.8125rem] wrap-anywhere text-quiet">
          {registryName} at {registry.name}
        </p>
        {status === 'deleted' && (
          <p className="text-[0.8125rem]">
            Its registry no longer lists it. It keeps working here until you delete it.
          </p>
        )}
      </div>
      {isNew && status !== 'deleted' && (
        <LinkButton
          size="small"
          variant="primary"
          to="/admin"
          search={{
            tab: 'manifests',
            import: 'updates',
            registry: registry.id,
            pick: pickOf({ name: registryName, version: to }),
          }}
          aria-label={`Preview the update of ${name}`}
        >
          Preview
        </LinkButton>
      )}
    </li>
  );
}
