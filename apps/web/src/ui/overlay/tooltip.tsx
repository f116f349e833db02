import { cloneElement, useEffect, useId, useRef, useState, type ReactElement } from 'react';

export type TooltipProps = {
  text: string;
  /** false if the text is also the name of the trigger, which would then be read twice. */
  describes?: boolean | undefined;
  /** One focusable element. */
  children: ReactElement<{ 'aria-describedby'?: string | undefined }>;
};

const gapPx = 6;
const openAfterMs = 400;

/**
 * A short text shown while its trigger is hovered or has the keyboard focus; Escape hides it (WCAG 1.4.13). A popover
 * in the top layer is never clipped, and takes a tenth of the code of a library.
 */
export function Tooltip({ text, describes = true, children }: TooltipProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLSpanElement>(null);
  const popup = useRef<HTMLSpanElement>(null);
  const timer = useRef<number>(undefined);

  const openSoon = () => {
    timer.current = window.setTimeout(() => setOpen(true), openAfterMs);
  };
  const close = () => {
    window.clearTimeout(timer.current);
    setOpen(false);
  };

  useEffect(() => () => window.clearTimeout(timer.current), []);

  useEffect(() => {
    const trigger = anchor.current?.firstElementChild;
    const box = popup.current;
    if (!open || !trigger || !box) return undefined;
    box.showPopover();
    const at = trigger.getBoundingClientRect();
    const own = box.getBoundingClientRect();
    const left = Math.min(Math.max(8, at.left + at.width / 2 - own.width / 2), window.innerWidth - own.width - 8);
    const below = at.bottom + gapPx + own.height < window.innerHeight;
    box.style.left = `${left}px`;
    box.style.top = `${below ? at.bottom + gapPx : at.top - gapPx - own.height}px`;
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false);
    document.addEventListener('keydown', onKey);
    document.addEventListener('scroll', close, { capture: true, once: true });
    return () => {
      box.hidePopover();
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('scroll', close, { capture: true });
    };
  }, [open]);

  return (
    <span
      ref={anchor}
      className="contents"
      onPointerEnter={(event) => event.pointerType === 'mouse' && openSoon()}
      onPointerLeave={close}
      onPointerDown={close}
      onFocus={(event) => event.target.matches(':focus-visible') && setOpen(true)}
      onBlur={close}
    >
      {describes ? cloneElement(children, { 'aria-describedby': id }) : children}
      {(open || describes) && (
        <span
          ref={popup}
          id={id}
          role="tooltip"
          popover="manual"
          aria-hidden={describes ? undefined : true}
          className="fixed inset-auto m-0 hidden max-w-sm rounded-md bg-ink px-2 py-1 text-xs font-medium text-ink-text open:block open:animate-appear"
        >
          {text}
        </span>
      )}
    </span>
  );
}
