import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import Info from 'lucide-react/icons/info';
import X from 'lucide-react/icons/x';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { ToastContext, type ToastOptions, type Toasts } from './use-toast.ts';

type Entry = ToastOptions & { id: number };

const shownForMs = { info: 5000, good: 5000, bad: 10_000 } as const;
const maxToasts = 3;
const looks = {
  info: { Icon: Info, color: 'text-accent' },
  good: { Icon: CircleCheck, color: 'text-good' },
  bad: { Icon: CircleAlert, color: 'text-bad' },
} as const;

/** The newest message comes last, at the edge, whichever of the two regions it is in. */
function ToastCard({ toast, onClose }: { toast: Entry; onClose: (id: number) => void }) {
  const tone = toast.tone ?? 'info';
  const [isPaused, setPaused] = useState(false);
  const { Icon, color } = looks[tone];
  useEffect(() => {
    // the timer stops under the pointer and while a button has the focus, so that there is time to read
    if (isPaused) return undefined;
    const timer = window.setTimeout(() => onClose(toast.id), shownForMs[tone]);
    return () => window.clearTimeout(timer);
  }, [isPaused, onClose, toast.id, tone]);
  return (
    <div
      style={{ order: toast.id }}
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
      className="pointer-events-auto flex animate-appear items-start gap-2.5 rounded-lg border border-line bg-raised py-3 pr-2 pl-3.5 shadow-float"
    >
      <Icon aria-hidden size={17} className={`mt-px shrink-0 ${color}`} />
      <div className="min-w-0 flex-1 wrap-anywhere">{toast.text}</div>
      {toast.action && (
        <button
          type="button"
          className="shrink-0 rounded-sm px-1 font-medium text-accent hover:underline"
          onClick={() => {
            toast.action?.onSelect();
            onClose(toast.id);
          }}
        >
          {toast.action.label}
        </button>
      )}
      <button
        type="button"
        aria-label="Dismiss"
        className="-my-0.5 inline-flex size-6 shrink-0 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-text"
        onClick={() => onClose(toast.id)}
      >
        <X aria-hidden size={15} />
      </button>
    </div>
  );
}

/**
 * Shows the short messages of its screens. Both live regions exist from the start, since screen readers announce only
 * what is added to a known region.
 */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Entry[]>([]);
  const lastId = useRef(0);
  const close = useCallback((id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)), []);
  const value = useMemo<Toasts>(() => {
    const show = (options: ToastOptions) => {
      lastId.current += 1;
      const entry = { ...options, id: lastId.current };
      setToasts((shown) => [...shown.filter((toast) => toast.text !== options.text), entry].slice(-maxToasts));
    };
    return { show, success: (text) => show({ text, tone: 'good' }), error: (text) => show({ text, tone: 'bad' }) };
  }, []);
  const cards = (bad: boolean) =>
    toasts
      .filter((toast) => (toast.tone === 'bad') === bad)
      .map((toast) => <ToastCard key={toast.id} toast={toast} onClose={close} />);
  return (
    <ToastContext value={value}>
      {children}
      {createPortal(
        // on the body, above dialogs; aria-live keeps it announced while a dialog hides the page from screen readers
        <div className="pointer-events-none fixed inset-x-3 bottom-3 z-50 flex flex-col gap-2 sm:inset-x-auto sm:right-5 sm:bottom-5 sm:w-90">
          <div role="status" aria-live="polite" className="contents">
            {cards(false)}
          </div>
          <div role="alert" aria-live="assertive" className="contents">
            {cards(true)}
          </div>
        </div>,
        document.body,
      )}
    </ToastContext>
  );
}
