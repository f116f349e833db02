import { useMutation } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import { Button } from '#ui/button.tsx';
import { saveFile } from '#ui/save-file.ts';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureLine } from '#web/texts/failure-text.ts';

export type CsvButtonProps = {
  /** The content of the file: "transactions". */
  of: string;
  load: () => Promise<string>;
};

/** Downloads a history as a file. Fetched first, since a plain link would send no token. */
export function CsvButton({ of, load }: CsvButtonProps) {
  const toast = useToast();
  const save = useMutation({
    mutationFn: load,
    onSuccess: (text) => saveFile(`souk-${of.replaceAll(' ', '-')}.csv`, text, 'text/csv'),
    onError: (error) => toast.error(failureLine('Failed to download the file', error)),
  });
  return (
    <Button icon={<Download aria-hidden size={16} />} loading={save.isPending} onClick={() => save.mutate()}>
      CSV<span className="sr-only"> of your {of}</span>
    </Button>
  );
}
