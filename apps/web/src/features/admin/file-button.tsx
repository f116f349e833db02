import FileUp from 'lucide-react/icons/file-up';
import { useRef, type ReactNode } from 'react';
import { Button } from '#ui/button.tsx';

/** A button that opens the system's choice of a file. The field that takes the file is out of sight and of the Tab key. */
export function FileButton({
  label,
  accept,
  onChoose,
  children,
}: {
  /** Names the field, for what drives the browser. */
  label: string;
  accept: string;
  onChoose: (file: File) => void;
  children: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={label}
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          // the same file can be chosen again after it was mended
          event.target.value = '';
          if (file) onChoose(file);
        }}
      />
      <Button icon={<FileUp aria-hidden size={16} />} onClick={() => input.current?.click()}>
        {children}
      </Button>
    </>
  );
}
