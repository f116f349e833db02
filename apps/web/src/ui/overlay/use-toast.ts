import { createContext, use } from 'react';

export type ToastTone = 'info' | 'good' | 'bad';

export type ToastOptions = {
  text: string;
  /** bad: announced immediately (role=alert), shown for 10 s. The others: announced politely (role=status), 5 s. */
  tone?: ToastTone | undefined;
  /** One action, such as "Undo" or "Retry". */
  action?: { label: string; onSelect: () => void } | undefined;
};

export type Toasts = {
  show: (options: ToastOptions) => void;
  success: (text: string) => void;
  error: (text: string) => void;
};

export const ToastContext = createContext<Toasts | undefined>(undefined);

/** Returns functions that show short messages at the edge of the screen. Throws outside ToastProvider. */
export function useToast(): Toasts {
  const toasts = use(ToastContext);
  if (!toasts) throw new Error('useToast needs a ToastProvider around it');
  return toasts;
}
