import type { Clock } from '@souk/service-kit/clock.ts';
import type { SlowCalls } from '@souk/service-kit/slow-calls.ts';
import type { Notes } from './notes.ts';

export type NotesParts = { notes: Notes; slowCalls: SlowCalls; clock: Clock; newId: () => string };
