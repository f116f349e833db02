import { z } from 'zod';

/** The environment variable with the URL that receives scenarios with a sign-in. */
export const signInControl = 'SOUK_CONFORMANCE_SIGN_IN';

export const signInScenarioSchema = z.object({
  scenario: z.string(),
  /** The suite's MCP server. */
  url: z.string(),
  /** A client that is already registered there. */
  context: z.looseObject({ client_id: z.string().optional(), client_secret: z.string().optional() }),
});
export type SignInScenario = z.output<typeof signInScenarioSchema>;
