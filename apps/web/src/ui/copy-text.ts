import { useEffect, useRef, useState } from 'react';

const shownForMs = 2000;

/**
 * Copies text. `state` is 'copied' or 'failed' for two seconds after a try.
 * The clipboard exists in secure contexts only (https, localhost): elsewhere it fails, and the text can be selected.
 */
export function useCopy(): { state: 'idle' | 'copied' | 'failed'; copy: (text: string) => void } {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef<number>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const copy = async (text: string) => {
    let result: 'copied' | 'failed' = 'copied';
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      result = 'failed';
    }
    setState(result);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setState('idle'), shownForMs);
  };
  return { state, copy: (text) => void copy(text) };
}
