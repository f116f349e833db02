import { useQuery } from '@tanstack/react-query';
import { Badge } from '#ui/state/badge.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { Tabs } from '#ui/tabs.tsx';
import type { AdminPartProps } from '../admin-screen.tsx';
import { importParts, type ImportPart } from '../admin-search.ts';
import { BackLink } from '../back-link.tsx';
import { updatesQuery } from './import-queries.ts';
import { RegistryPart } from './registry-part.tsx';
import { TextPart } from './text-part.tsx';
import { UpdatesPart } from './updates-part.tsx';

const labels: Readonly<Record<ImportPart, string>> = {
  text: 'Paste or file',
  registry: 'Registries',
  updates: 'Updates',
};

/** Imports servers: each is previewed, then staged by a click. Replaces the list of manifests. */
export function ImportPage({ part, ...props }: AdminPartProps & { part: ImportPart }) {
  const { userId, onSearchChange } = props;
  const waiting = useQuery(updatesQuery(userId)).data?.updates.length ?? 0;
  return (
    <>
      <ScreenTitle title="Import - Administration" />
      <BackLink search={{ tab: 'manifests' }}>All manifests</BackLink>
      <h2 className="mb-4 text-xl font-semibold">Import servers</h2>
      <Tabs
        label="Where to import from"
        value={part}
        onChange={(next) => onSearchChange({ tab: 'manifests', import: next }, 'push')}
        items={importParts.map((value) => ({
          value,
          label:
            value === 'updates' && waiting > 0 ? (
              <span className="inline-flex items-center gap-1.5">
                {labels[value]} <Badge tone="accent">{waiting}</Badge>
              </span>
            ) : (
              labels[value]
            ),
          content:
            value === part &&
            (part === 'text' ? (
              <TextPart userId={userId} />
            ) : part === 'registry' ? (
              <RegistryPart {...props} />
            ) : (
              <UpdatesPart {...props} />
            )),
        }))}
      />
    </>
  );
}
