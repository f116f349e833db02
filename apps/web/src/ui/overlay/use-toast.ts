import { createContext, use } from 'react';

export type ToastTone = 'info' | 'good' | 'bad';

export type ToastOptions = {
  text: string;
  /** bad is announced at once (role=alert) and stays 10 s, the others politely (role=status) for 5 s. */
  tone?: ToastTone | undefined;
  /** One thing to do about it ("Undo", "Retry"). */
  action?: { label: string; onSelect: () => void } | undefined;
};

export type Toasts = {
  show: (options: ToastOptions) => void;
  /** It worked. */
  success: (text: string) => void;
  /** It failed. */
  error: (text: string) => void;
};

export const ToastContext = createContext<Toasts | undefined>(undefined);

/** Short messages at the edge of the screen. Throws outside ToastProvider. */
export function useToast(): Toasts {
  const toasts = use(ToastContext);
  if (!toasts) throw new Error('useToast needs a ToastProvider around it');
  return toasts;
}
