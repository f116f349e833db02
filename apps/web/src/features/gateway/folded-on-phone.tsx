import ChevronDown from 'lucide-react/icons/chevron-down';
import { useId, useState, type ReactNode } from 'react';
import { classNames } from '#ui/class-names.ts';

export function FoldedOnPhone({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-center justify-between gap-4 border-t border-line px-4 py-3 font-medium hover:bg-hover sm:hidden"
      >
        {title}
        <ChevronDown aria-hidden size={16} className={classNames('text-quiet', isOpen && 'rotate-90')} />
      </button>
      <div id={id} className={classNames(!isOpen && 'max-sm:hidden')}>
        {children}
      </div>
    </>
  );
}
