import type { Clock } from '@souk/service-kit/clock.ts';
import type { SlowCalls } from '@souk/service-kit/slow-calls.ts';
import type { Itineraries } from './itineraries.ts';

export type TravelParts = { itineraries: Itineraries; slowCalls: SlowCalls; clock: Clock; newId: () => string };
