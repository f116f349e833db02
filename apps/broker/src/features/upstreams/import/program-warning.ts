/** Said wherever an import offers an entry of the allow-list of programs. */
export const programWarning =
  'Once this program is allowed, this machine runs its code, and it reads the secrets that you give it. Allow it only if you trust its authors.';
