import { useEffect } from 'react';
import { useToast } from '#ui/overlay/use-toast.ts';
import { slowed } from './patient-fetch.ts';

export function SlowedNotice() {
  const toast = useToast();
  useEffect(() => {
    slowed.report = (seconds) => {
      const wait = seconds === 1 ? 'a second' : `${seconds} seconds`;
      toast.show({ text: `That was a lot of requests in a short time. This page continues by itself in ${wait}.` });
    };
    return () => {
      slowed.report = () => {};
    };
  }, [toast]);
  return null;
}
