import { useMutation } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { saveFile } from '#ui/save-file.ts';
import { api } from '#web/api.ts';
import { config } from '#web/config.ts';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { failureLine } from '#web/texts/failure-text.ts';

export function ExportData({ userId }: { userId: string }) {
  const load = useMutation({
    mutationFn: () => api.exportMyData({ params: { userId } }),
    onSuccess: (data) => saveFile('souk-my-data.json', JSON.stringify(data, null, 2), 'application/json'),
  });
  const failure = load.isError ? failureLine('Failed to export your data', load.error) : undefined;
  return (
    <TitledSection
      id="export-heading"
      title="Your data"
      text={`What ${config.brandName} stores about you, as a JSON file. Tokens and data held by services aren't included.`}
      actions={
        <Button loading={load.isPending} icon={<Download aria-hidden size={16} />} onClick={() => load.mutate()}>
          Export my data
        </Button>
      }
    >
      {failure && <Notice tone="bad">{failure}</Notice>}
    </TitledSection>
  );
}
