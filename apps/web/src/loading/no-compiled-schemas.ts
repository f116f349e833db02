import { config } from 'zod';

// Runs before the first schema is created: our content security policy forbids compiling code, and browsers report each
// attempt.
config({ jitless: true });
