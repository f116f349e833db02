import { useEffect, useRef, type RefObject } from 'react';

/** Moves focus to the first invalid control of a form. Answers whether there was one. */
export function focusFirstError(form: HTMLElement | null): boolean {
  const control = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  control?.focus();
  return control !== null && control !== undefined;
}

/**
 * A ref for a form whose first invalid control gets focus whenever `errors` (a new object for each refused
 * submission) has something in it.
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
