import { z } from 'zod';

/** The signed-in user with the tokens of this browser (spec part 1, section 3). */
export const signedInUserSchema = z.object({
  id: z.string(),
  email: z.string(),
  displayName: z.string(),
  photoURL: z.string().nullable(),
  /** google by default; oidc for a company's own provider, dev for the stand-in's users. */
  provider: z.string().default('google'),
  accessToken: z.string(),
  /** Names this sign-in; worthless without the HttpOnly cookie (clarifications, Sign-in). */
  refreshToken: z.string().optional(),
  /** Epoch milliseconds. */
  tokenExpiry: z.number(),
});
export type SignedInUser = z.infer<typeof signedInUserSchema>;

/** The two stored entries. Each has its own expiry, so that each can be stale by itself. */
export const storedUserSchema = signedInUserSchema.omit({ accessToken: true, refreshToken: true });
export const storedTokensSchema = signedInUserSchema
  .pick({ accessToken: true, refreshToken: true, tokenExpiry: true })
  .extend({ userId: z.string() });
