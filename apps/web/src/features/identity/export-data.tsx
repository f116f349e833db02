import { useMutation } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/notice.tsx';
import { api } from '#web/api.ts';
import { SectionHeading } from './section-heading.tsx';
import { describeFailure } from './token-texts.ts';

/** Everything that is held about the person, as a file. */
export function ExportData({ userId }: { userId: string }) {
  const load = useMutation({
    mutationFn: () => api.exportMyData({ params: { userId } }),
    onSuccess: (data) => saveFile('souk-my-data.json', JSON.stringify(data, null, 2)),
  });
  const failure = load.isError ? describeFailure('Failed to export your data', load.error) : undefined;
  return (
    <section aria-labelledby="export-heading" className="flex flex-col gap-4">
      <SectionHeading
        id="export-heading"
        title="Your data"
        text="What Souk stores about you, as a JSON file: not your tokens, which nobody can read, and not what services keep themselves."
        actions={
          <Button loading={load.isPending} icon={<Download aria-hidden size={16} />} onClick={() => load.mutate()}>
            Export my data
          </Button>
        }
      />
      {failure && <Notice tone="bad">{[failure.title, failure.reason].filter(Boolean).join(': ')}</Notice>}
    </section>
  );
}

function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // the download has begun when the click returns; the address is not needed to finish it
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
