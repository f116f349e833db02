import { useEffect, useRef, type RefObject } from 'react';

/**
 * Returns a ref for a form. Its first invalid control gets the focus whenever `errors`, a new object for each refused
 * submission, has an entry.
 */
export function useFirstErrorFocus(
  errors: Readonly<Record<string, string | undefined>>,
): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.values(errors).some(Boolean)) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errors]);
  return form;
}
