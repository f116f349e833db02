import { dropUnstorable } from './authorize-request.ts';

/** Returns the form as it was sent: repeated fields stay repeated, which oidc-provider refuses as RFC 6749 wants. */
export function formText(body: unknown): string {
  const form = new URLSearchParams();
  if (typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body)) {
      for (const one of Array.isArray(value) ? value : [value]) form.append(name, String(one));
    }
  }
  dropUnstorable(form);
  return form.toString();
}
