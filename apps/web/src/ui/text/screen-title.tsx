import { useEffect } from 'react';
import { config } from '#web/config.ts';

/** Sets the title of the browser tab: "{title} - {brand}", or the brand alone. */
export function ScreenTitle({ title }: { title?: string | undefined }) {
  useEffect(() => {
    document.title = title ? `${title} - ${config.brandName}` : config.brandName;
  }, [title]);
  return null;
}
