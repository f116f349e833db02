import type { Setting } from '@souk/contract/admin/system.ts';
import Settings2 from 'lucide-react/icons/settings-2';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { SearchText } from '#ui/text/search-text.tsx';
import { Select } from '#ui/form/select.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { maxSearchLength } from '../admin-search.ts';
import { Section } from '../section.tsx';

const origins: Readonly<Record<Setting['origin'], string>> = {
  environment: 'Environment',
  'env-file': 'Environment file',
  'secret-file': 'File',
  default: 'Default',
};

const columns: readonly TableColumn<Setting>[] = [
  {
    id: 'name',
    header: 'Variable',
    rowHeader: true,
    cell: (setting) => (
      <span className="flex flex-col gap-0.5 wrap-anywhere">
        <span dir="auto" className="font-mono text-[0.8125rem]">
          {setting.name}
        </span>
        <span className="text-[0.8125rem] font-normal text-quiet sm:hidden">
          <Value {...setting} /> · <Origin {...setting} />
        </span>
      </span>
    ),
  },
  { id: 'value', header: 'Value', wideOnly: true, cell: (setting) => <Value {...setting} /> },
  { id: 'origin', header: 'From', wideOnly: true, cell: (setting) => <Origin {...setting} /> },
];

/** The configuration in force. Secrets never reach the browser. */
export function Settings({
  settings,
  q,
  isAll,
  onChange,
}: {
  settings: readonly Setting[];
  q: string | undefined;
  /** Lists variables that aren't set too. A search always covers all of them. */
  isAll: boolean;
  onChange: (change: { q?: string | undefined; group?: 'all' | undefined }) => void;
}) {
  const wanted = q?.toLowerCase() ?? '';
  const listed = isAll || wanted !== '' ? settings : settings.filter(({ origin }) => origin !== 'default');
  const found = listed.filter(({ name, value }) => `${name} ${value ?? ''}`.toLowerCase().includes(wanted));
  return (
    <Section
      id="system-settings"
      title="Configuration"
      text="Variables in force on the broker that answered. Change them where it is started; secrets aren't shown."
    >
      <div className="flex flex-wrap gap-2">
        <SearchText
          label="Search the configuration"
          placeholder="Search all by name or value"
          className="min-w-0 flex-1 basis-64 sm:max-w-96"
          q={q}
          maxLength={maxSearchLength}
          onChange={(text) => onChange({ q: text })}
        />
        <Select
          aria-label="Variables"
          className="flex-1 basis-40 sm:max-w-52"
          value={isAll ? 'all' : 'set'}
          options={[
            { value: 'set', label: 'Set here' },
            { value: 'all', label: 'All, with defaults' },
          ]}
          onChange={(value) => onChange({ group: value === 'all' ? 'all' : undefined })}
        />
      </div>
      {found.length > 0 ? (
        <Table caption="Variables in force" columns={columns} rows={found} rowKey={({ name }) => name} />
      ) : (
        <EmptyState icon={<Settings2 aria-hidden />} title="No variable matches this search." />
      )}
    </Section>
  );
}

function Value({ value, isSecret, origin }: Setting) {
  if (isSecret && origin !== 'default') return <span className="text-quiet">Set, hidden</span>;
  if (value === null) return <span className="text-quiet">Not set</span>;
  return <span className="wrap-anywhere">{value}</span>;
}

function Origin({ origin, file }: Setting) {
  return (
    <span className={origin === 'default' ? 'text-quiet' : undefined}>
      {origins[origin]}
      {file !== null && <span className="block text-[0.8125rem] text-quiet wrap-anywhere">{file}</span>}
    </span>
  );
}
