/** Something that a source names and whose value it does not give, or gives as a secret. */
export type Named = { name: string; description?: string | undefined };

/** How a program is started, as far as its source says. */
export type Launch =
  | { kind: 'npm' | 'pypi'; name: string; version: PackageVersion; command?: string | undefined; args: string[] }
  | { kind: 'command'; argv: string[] };

/** An exact version, or a tag of the package's registry that names one. */
export type PackageVersion = { exact: string } | { tag: string };

export type Target =
  /** `signIn`: people sign in at it. */
  | { kind: 'address'; type: 'http' | 'websocket'; url: string; headers: Named[]; signIn?: { scopes?: string[] } }
  | { kind: 'program'; launch: Launch; env: Record<string, string>; secrets: Named[] };

/** What people see of a server, as its source words it. */
export type Look = {
  /** Its name in a registry. */
  registryName?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  version?: string | undefined;
  icon?: string | undefined;
};

/** A server that a source wants, before this shop has given it an id. No value of a header or of a secret stands in it. */
export type WantedServer = { name: string; look: Look; target: Target; notes: string[] };

/** A manifest of ours, as it was written. */
export type OwnManifest = { name: string; document: Record<string, unknown>; notes: string[] };

/** Why nothing can be made of an entry, and what to do about it. */
export type RefusedEntry = { name: string; refused: string; notes: string[] };

export type ReadEntry = WantedServer | OwnManifest | RefusedEntry;

/** Thrown where an entry cannot be taken: its message says why, and what to do. */
export class NotImportable extends Error {}
