import { ApiError } from '@souk/contract/client.ts';

export const isNotFound = (error: unknown) => error instanceof ApiError && error.status === 404;

/** Whether a change was refused because another change came first. */
export const isStaleWrite = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'changed_since_shown';
