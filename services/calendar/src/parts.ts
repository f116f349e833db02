import type { Clock } from '@souk/service-kit/clock.ts';
import type { SlowCalls } from '@souk/service-kit/slow-calls.ts';
import type { Events } from './events.ts';

export type CalendarParts = { events: Events; slowCalls: SlowCalls; clock: Clock; newId: () => string };
