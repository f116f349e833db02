import { useEffect, useRef } from 'react';

/** Returns the last value from before `isFrozen`, so that a closing dialog does not show new data. */
export function useFrozen<Value>(value: Value, isFrozen: boolean): Value {
  const last = useRef(value);
  useEffect(() => {
    if (!isFrozen) last.current = value;
  });
  return isFrozen ? last.current : value;
}
