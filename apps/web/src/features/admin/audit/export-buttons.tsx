import { useMutation } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import { Button } from '#ui/button.tsx';
import { saveFile } from '#ui/save-file.ts';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureLine } from '#web/texts/failure-text.ts';
import type { AdminSearch } from '../admin-search.ts';
import { auditApi, auditFilterOf } from './audit-queries.ts';

const formats = {
  csv: { label: 'CSV', type: 'text/csv', load: auditApi.getAuditCsv },
  jsonl: { label: 'JSON lines', type: 'application/x-ndjson', load: auditApi.getAuditLines },
} as const;

/** Downloads the filtered entries. They are fetched with the session's token, so that no address contains one. */
export function ExportButtons({ search, onExported }: { search: AdminSearch; onExported: () => void }) {
  return (
    <div role="group" aria-label="Export the audit log" className="flex gap-2">
      {(['csv', 'jsonl'] as const).map((format) => (
        <ExportButton key={format} format={format} search={search} onExported={onExported} />
      ))}
    </div>
  );
}

function ExportButton({
  format,
  search,
  onExported,
}: {
  format: keyof typeof formats;
  search: AdminSearch;
  onExported: () => void;
}) {
  const toast = useToast();
  const { label, type, load } = formats[format];
  const save = useMutation({
    mutationFn: () => load({ query: auditFilterOf(search) }),
    onSuccess: (text) => {
      saveFile(`souk-audit.${format}`, text, type);
      // the log now has an entry about the export
      onExported();
    },
    onError: (error) => toast.error(failureLine('Failed to export the audit log', error)),
  });
  return (
    <Button
      size="small"
      icon={<Download aria-hidden size={15} />}
      title="Up to 100,000 entries: the newest that match the filters"
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      {label}
    </Button>
  );
}
