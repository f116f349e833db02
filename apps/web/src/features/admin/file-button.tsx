import FileUp from 'lucide-react/icons/file-up';
import { useRef, type ReactNode } from 'react';
import { Button } from '#ui/button.tsx';

/** A button that opens the file picker. The file input itself is hidden and not in the tab order. */
export function FileButton({
  label,
  accept,
  onChoose,
  children,
}: {
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
          // lets the user choose the same file again after fixing it
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
