import { config } from 'zod';

// Runs before the first schema is made: our policy forbids compiled code, and a browser reports each attempt.
config({ jitless: true });
