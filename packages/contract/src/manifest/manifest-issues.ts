import type { z } from 'zod';
import { issueText, missing } from './issue-text.ts';
import { completedFields } from './manifest.ts';

type Issue = { path: string; message: string };

/**
 * Returns the problems of a manifest, each with the path of its field.
 * @param sent the manifest as received: an absent enum field is reported as missing rather than as an invalid value, and a
 *   field that was filled in is not reported
 */
export function manifestIssues(error: z.ZodError, sent?: unknown): Issue[] {
  return error.issues.flatMap((issue) => {
    if (isFilledIn(issue.path, sent)) return [];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: fieldPath([...issue.path, key]),
        message: unknownText(fieldPath([...issue.path, key])),
      }));
    }
    const isAbsent = issue.code === 'invalid_value' && sent !== undefined && valueAt(sent, issue.path) === undefined;
    return [{ path: fieldPath(issue.path), message: isAbsent ? missing : issueText(issue) }];
  });
}

function isFilledIn([field]: readonly PropertyKey[], sent: unknown): boolean {
  return (
    typeof sent === 'object' &&
    sent !== null &&
    completedFields.some((one) => one === field) &&
    !Object.hasOwn(sent, String(field))
  );
}

function unknownText(path: string): string {
  if (path === 'connection.headers') return 'is not a field here: name secrets of headers in auth.headers';
  return path.includes('.') || path.includes('[') ? 'is not a field here' : 'is not a field of a manifest';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined,
    value,
  );
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? String(step) : `${text}.${String(step)}`,
    '',
  );
}
