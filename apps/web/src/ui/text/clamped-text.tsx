import { useEffect, useRef, useState } from 'react';

/** The first three lines of a text, and the rest on request. */
export function ClampedText({ text, className }: { text: string; className?: string | undefined }) {
  const [isOpen, setIsOpen] = useState(false);
  const [isCut, setIsCut] = useState(false);
  const box = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const shown = box.current;
    if (!shown || isOpen) return undefined;
    // how much fits changes with the width, and once the font is loaded
    const watch = new ResizeObserver(() => setIsCut(shown.scrollHeight > shown.clientHeight + 1));
    watch.observe(shown);
    return () => watch.disconnect();
  }, [text, isOpen]);
  return (
    <div className={className}>
      <p dir="auto" ref={box} className={isOpen ? 'wrap-anywhere' : 'line-clamp-3 wrap-anywhere'}>
        {text}
      </p>
      {(isCut || isOpen) && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="rounded-sm py-0.5 text-accent hover:underline"
        >
          {isOpen ? 'Show less' : 'Show more'}
        </button>
      )}
    </div>
  );
}
