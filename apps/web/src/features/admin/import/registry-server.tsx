import type { ListedServer } from '@souk/contract/catalogue/registries.ts';
import { Badge } from '#ui/state/badge.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import type { AdminSearch } from '../admin-search.ts';
import { pickOf } from './picked-preview.tsx';

export const kindNames: Readonly<Record<ListedServer['kinds'][number], string>> = {
  remote: 'Remote',
  npm: 'npm',
  pypi: 'PyPI',
  oci: 'Container',
  nuget: 'NuGet',
  mcpb: 'MCPB',
  other: 'Other',
};

export function RegistryServer({ server, search }: { server: ListedServer; search: AdminSearch }) {
  const { name, version, title, description, kinds, status, statusMessage, notImportable, imported } = server;
  const isNew = imported === null || imported.version !== version;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 p-4">
      <div className="min-w-0 flex-1 basis-72">
        <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold wrap-anywhere">
          <span>
            {title ?? name} <span className="font-normal text-quiet tabular-nums">{version}</span>
          </span>
          {kinds.map((kind) => (
            <Badge key={kind}>{kindNames[kind]}</Badge>
          ))}
          {status !== 'active' && <Badge tone="bad">{status === 'deprecated' ? 'Deprecated' : 'Deleted'}</Badge>}
        </h3>
        {title !== null && (
          <p dir="auto" className="text-[0.8125rem] wrap-anywhere text-quiet">
            {name}
          </p>
        )}
        <p dir="auto" className="mt-1 line-clamp-2 wrap-anywhere text-quiet">
          {description}
        </p>
        {statusMessage !== null && (
          <p className="mt-1 text-[0.8125rem] wrap-anywhere">Its registry says: {statusMessage}</p>
        )}
        {notImportable !== null && (
          <p className="mt-1 text-[0.8125rem] wrap-anywhere text-quiet">Cannot be imported: {notImportable}.</p>
        )}
        {imported && (
          <p className="mt-1 text-[0.8125rem]">
            <TextLink to="/admin" search={{ tab: 'manifests', id: imported.id }}>
              Imported as {imported.id}
            </TextLink>
          </p>
        )}
      </div>
      {notImportable === null && (
        <LinkButton
          size="small"
          to="/admin"
          search={{ ...search, pick: pickOf(server) }}
          aria-label={`${isNew ? 'Preview' : 'Preview again'} ${title ?? name}`}
        >
          {isNew ? 'Preview' : 'Preview again'}
        </LinkButton>
      )}
    </li>
  );
}
