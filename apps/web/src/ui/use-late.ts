import { useEffect, useState } from 'react';

/** Whether something has been so for `afterMs`: what ends sooner is not worth showing. */
export function useLate(is: boolean, afterMs: number): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!is) return undefined;
    const timer = setTimeout(() => setLate(true), afterMs);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [is, afterMs]);
  return is && late;
}
