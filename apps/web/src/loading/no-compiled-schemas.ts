import { config } from 'zod';

// Before the first schema is made: our policy forbids compiled code, and a browser reports each try.
config({ jitless: true });
