import { z } from 'zod';

/** Who is signed in, with the tokens of this browser (spec part 1, section 3). */
export const signedInUserSchema = z.object({
  id: z.string(),
  email: z.string(),
  displayName: z.string(),
  photoURL: z.string().nullable(),
  /** google unless the profile says otherwise; oidc for a company's own provider, dev for the stand-in's users. */
  provider: z.string().default('google'),
  accessToken: z.string(),
  /** A handle that names this sign-in; worth nothing without the HttpOnly cookie (clarifications, Sign-in). */
  refreshToken: z.string().optional(),
  /** Epoch milliseconds. */
  tokenExpiry: z.number(),
});
export type SignedInUser = z.infer<typeof signedInUserSchema>;

/** What the two storage keys hold between them; each entry has its own expiry, so that each can be found stale alone. */
export const storedUserSchema = signedInUserSchema.omit({ accessToken: true, refreshToken: true });
export const storedTokensSchema = signedInUserSchema
  .pick({ accessToken: true, refreshToken: true, tokenExpiry: true })
  .extend({ userId: z.string() });
