import { useEffect } from 'react';
import { useToast } from '#ui/overlay/use-toast.ts';
import { slowed } from './retry-after-fetch.ts';

export function SlowedNotice() {
  const toast = useToast();
  useEffect(() => {
    slowed.report = (seconds) => {
      const wait = seconds === 1 ? 'a second' : `${seconds} seconds`;
      toast.show({ text: `Too many requests in a short time. This page continues automatically in ${wait}.` });
    };
    return () => {
      slowed.report = () => {};
    };
  }, [toast]);
  return null;
}
