import type { RunItem } from './run-store.ts';

/** A manifest of deploy-all in one of these is live; of a reload the last one alone comes up. */
export const live: readonly RunItem['status'][] = ['asking', 'unanswered', 'done'];
