import { useEffect } from 'react';
import { config } from '#web/config.ts';

/** The browser tab's title: "{title} - {brand}", or the brand alone. */
export function ScreenTitle({ title }: { title?: string | undefined }) {
  useEffect(() => {
    document.title = title ? `${title} - ${config.brandName}` : config.brandName;
  }, [title]);
  return null;
}
