import { useEffect, useState } from 'react';

/** Returns whether `is` has been true for `afterMs`: shorter waits are not worth showing. */
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
