import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { officialRegistry, type Registry } from '@souk/contract/catalogue/registries.ts';
import { Button } from '#ui/button.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Select } from '#ui/form/select.tsx';
import { counted } from '#ui/text/amount.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { NotLoaded } from '../not-loaded.tsx';
import { registriesQuery } from './import-queries.ts';
import { PickedPreview } from './picked-preview.tsx';
import { RegistryDialog, RemoveRegistryDialog } from './registry-dialogs.tsx';
import { RegistryServers } from './registry-servers.tsx';

type Asked = { kind: 'add' } | { kind: 'rename' | 'remove'; registry: Registry };

/** The registries, and the servers of the chosen one. A registry is only queried once it is chosen. */
export function RegistryPart({ userId, search, onSearchChange }: AdminPartProps) {
  const query = useQuery(registriesQuery(userId));
  const [asked, setAsked] = useState<Asked>();
  if (!query.data) return <NotLoaded query={query} label="Loading registries…" />;
  const registries = query.data;
  const chosen = registries.find(({ id }) => id === search.registry);
  const choose = (registry: string | undefined) =>
    onSearchChange({ tab: 'manifests', import: 'registry', registry }, 'push');
  const dialogs = (
    <Dialogs
      userId={userId}
      registries={registries}
      asked={asked}
      onClose={() => setAsked(undefined)}
      onChoose={choose}
    />
  );
  if (registries.length === 0) {
    return (
      <>
        <EmptyState
          title="No registries yet"
          text="Add a registry by its address: the official one, your company's, or another Souk. Souk requests nothing from it until you open it."
          actions={
            <Button variant="primary" onClick={() => setAsked({ kind: 'add' })}>
              Add a registry
            </Button>
          }
        />
        {dialogs}
      </>
    );
  }
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Registry"
          className="w-full sm:w-72"
          options={[
            { value: '', label: 'Choose a registry' },
            ...registries.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={chosen?.id ?? ''}
          onChange={(id) => choose(id === '' ? undefined : id)}
        />
        {chosen && (
          <>
            <Button onClick={() => setAsked({ kind: 'rename', registry: chosen })}>Rename</Button>
            <Button onClick={() => setAsked({ kind: 'remove', registry: chosen })}>Remove</Button>
          </>
        )}
        <Button onClick={() => setAsked({ kind: 'add' })}>Add a registry</Button>
      </div>
      {chosen && (
        <p className="-mt-2 text-[0.8125rem] wrap-anywhere text-quiet">
          {chosen.url}
          {chosen.servers > 0 && ` · ${counted(chosen.servers, 'server')} imported`}
        </p>
      )}
      {!chosen && <EmptyState title="Choose a registry" text="Souk loads its servers once you open it." />}
      {chosen &&
        (search.pick === undefined ? (
          <RegistryServers
            key={chosen.id}
            userId={userId}
            registry={chosen}
            search={search}
            onSearchChange={onSearchChange}
          />
        ) : (
          <PickedPreview
            userId={userId}
            registryId={chosen.id}
            pick={search.pick}
            back={{ ...search, pick: undefined }}
            backText={`Servers of ${chosen.name}`}
          />
        ))}
      {dialogs}
    </div>
  );
}

function Dialogs({
  userId,
  registries,
  asked,
  onClose,
  onChoose,
}: {
  userId: string;
  registries: readonly Registry[];
  asked: Asked | undefined;
  onClose: () => void;
  onChoose: (registry: string | undefined) => void;
}) {
  return (
    <EachOpening asked={asked}>
      {(one, open) => {
        const dialog = { userId, open, onClose };
        if (one.kind === 'remove')
          return <RemoveRegistryDialog {...dialog} registry={one.registry} onRemoved={() => onChoose(undefined)} />;
        if (one.kind === 'rename')
          return <RegistryDialog {...dialog} registry={one.registry} preset={undefined} onAdded={onChoose} />;
        const hasOfficial = registries.some(({ url }) => url === officialRegistry.url);
        const preset = hasOfficial ? undefined : officialRegistry;
        return <RegistryDialog {...dialog} registry={undefined} preset={preset} onAdded={onChoose} />;
      }}
    </EachOpening>
  );
}
