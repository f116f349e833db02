import type { ZodError } from 'zod';

/** What is wrong with an input, field by field, in one line. */
export function sayIssues({ issues }: ZodError): string {
  return issues
    .map(({ path, message }) => [path.join('.'), message].filter((part) => part !== '').join(': '))
    .join('; ');
}
