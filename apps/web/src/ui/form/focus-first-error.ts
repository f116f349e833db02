import { useEffect, useRef, type RefObject } from 'react';

/** Moves the focus to the first invalid control of a form. Returns whether there was one. */
export function focusFirstError(form: HTMLElement | null): boolean {
  const control = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  control?.focus();
  return control !== null && control !== undefined;
}

/**
 * Returns a ref for a form. Its first invalid control gets the focus whenever `errors`, a new object for each refused
 * submission, has an entry.
 */
export function useFirstErrorFocus(
  errors: Readonly<Record<string, string | undefined>>,
): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.values(errors).some(Boolean)) focusFirstError(form.current);
  }, [errors]);
  return form;
}
