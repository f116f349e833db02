import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '#ui/card.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { counted } from '#ui/text/amount.ts';
import { NotLoaded } from '../../not-loaded.tsx';
import { Section } from '../../section.tsx';
import { LazyDifferences } from '../editor/lazy-differences.tsx';
import { differencesQuery, versionBefore, type ServerPartProps, type ShownManifest } from '../server-queries.ts';
import { DifferenceList } from './difference-list.tsx';
import { VersionList } from './version-list.tsx';
import { ItemsWithCode } from '../../text-with-code.tsx';

type Compared = { from: string | undefined; to: string | undefined };

export function ChangesPart({
  userId,
  serverId,
  shown,
  from,
  to,
  onCompare,
  onDeploy,
}: ServerPartProps &
  Compared & {
    onCompare: (versions: Compared) => void;
    onDeploy: (version: string | undefined) => void;
  }) {
  const chosen = versionsToCompare(shown, { from, to });
  const options = shown.versions.map(({ version, status }) => ({
    value: version,
    label: status === 'superseded' ? version : `${version}, ${stateWords[status]}`,
  }));
  return (
    <div className="flex flex-col gap-8">
      <Section id="server-changes" gap="gap-4" title="What changes">
        {options.length > 1 && (
          <div className="grid grid-cols-2 gap-3 sm:max-w-md">
            <Field label="From">
              <Select
                options={options}
                value={chosen.from ?? ''}
                onChange={(version) => onCompare({ ...chosen, from: version })}
              />
            </Field>
            <Field label="To">
              <Select
                options={options}
                value={chosen.to ?? ''}
                onChange={(version) => onCompare({ ...chosen, to: version })}
              />
            </Field>
          </div>
        )}
        {chosen.from === undefined ? (
          <EmptyState title="There is only one version" text="Once you stage a second one, its changes appear here." />
        ) : (
          <Comparison userId={userId} serverId={serverId} compared={chosen} />
        )}
      </Section>
      <VersionList
        shown={shown}
        onDeploy={onDeploy}
        onCompare={(version) => onCompare({ from: shown.listed?.deployedVersion ?? chosen.from, to: version })}
      />
    </div>
  );
}

const stateWords = { staging: 'staged', deployed: 'deployed' } as const;

/** Returns the versions to compare. By default, the deployed and the staged version, else the previous and the deployed one. */
function versionsToCompare(shown: ShownManifest, { from, to }: Compared): Compared {
  const { listed, versions } = shown;
  const deployed = listed?.deployedVersion ?? undefined;
  const after = to ?? listed?.stagedVersion ?? deployed ?? versionBefore(shown) ?? versions[0]?.version;
  const other = deployed !== undefined && deployed !== after ? deployed : versionBefore(shown);
  const before =
    from ?? (other === after ? undefined : other) ?? versions.find(({ version }) => version !== after)?.version;
  return { from: before, to: after };
}

function Comparison({ userId, serverId, compared }: { userId: string; serverId: string; compared: Compared }) {
  const query = useQuery(differencesQuery(userId, serverId, compared));
  const { data } = query;
  const [isRawOpen, setIsRawOpen] = useState(false);
  if (!data) return <NotLoaded query={query} label="Comparing the versions…" />;
  const { differences, effects, people, before, after } = data;
  if (differences.length === 0) return <p className="text-quiet">Both versions are the same.</p>;
  return (
    <div className="flex flex-col gap-5">
      <Card as="section" aria-labelledby="changes-effects" padding="large">
        <h3 id="changes-effects" className="font-medium">
          What people notice
        </h3>
        {effects.length === 0 ? (
          <p className="mt-1 text-quiet">Users see no difference.</p>
        ) : (
          <ul className="mt-1.5 list-disc space-y-1 pl-5 wrap-anywhere">
            <ItemsWithCode texts={effects} />
          </ul>
        )}
        <p className="mt-3 text-[0.8125rem] text-quiet">
          {countOf(people.renters, 'rents', 'rent')} it now. {countOf(people.users, 'called', 'called')} it in the last
          30 days.
        </p>
      </Card>
      <DifferenceList differences={differences} />
      <details onToggle={(event) => setIsRawOpen(event.currentTarget.open)}>
        <summary className="w-fit rounded-sm py-0.5 text-quiet hover:text-text">Raw JSON</summary>
        <div className="mt-3">
          {isRawOpen && (
            <LazyDifferences
              beforeLabel={data.from ?? 'Nothing'}
              afterLabel={data.to}
              before={before === null ? '' : JSON.stringify(before, null, 2)}
              after={JSON.stringify(after, null, 2)}
            />
          )}
        </div>
      </details>
    </div>
  );
}

const countOf = (count: number, one: string, many: string) =>
  count === 0 ? `No one ${one}` : counted(count, `person ${one}`, `people ${many}`);
