/** What a sealed value belongs to: opened for another row or user, it fails. */
export type SealContext = { table: string; row: string; user?: string };

/** Encryption at rest, delivered by platform/crypto. */
export type Vault = {
  seal(context: SealContext, text: string): string;
  open(context: SealContext, sealed: string): string;
};
