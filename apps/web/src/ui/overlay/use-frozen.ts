import { useEffect, useRef } from 'react';

/** The last value from before `isFrozen`: what changes beneath a dialog doesn't flash in it while it closes. */
export function useFrozen<Value>(value: Value, isFrozen: boolean): Value {
  const last = useRef(value);
  useEffect(() => {
    if (!isFrozen) last.current = value;
  });
  return isFrozen ? last.current : value;
}
