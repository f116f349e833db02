import { issueText } from '@souk/contract/manifest/issue-text.ts';
import type { ZodError } from 'zod';

/** Says what is wrong with an input, field by field, in one line. */
export function sayIssues({ issues }: ZodError): string {
  return issues
    .map((issue) => [issue.path.join('.'), issueText(issue)].filter((part) => part !== '').join(': '))
    .join('; ');
}
