/** A header or variable whose value is secret, or is missing in the source. */
export type Named = { name: string; description?: string | undefined };

/** How a program is started, according to its source. */
export type Launch =
  | { kind: 'npm' | 'pypi'; name: string; version: PackageVersion; command?: string | undefined; args: string[] }
  | { kind: 'command'; argv: string[] };

/** An exact version, or a tag of the package's registry that names one. */
export type PackageVersion = { exact: string } | { tag: string };

export type Target =
  /** `signIn`: each user signs in there. */
  | { kind: 'address'; type: 'http' | 'websocket'; url: string; headers: Named[]; signIn?: { scopes?: string[] } }
  | { kind: 'program'; launch: Launch; env: Record<string, string>; secrets: Named[] };

/** Texts and links by which users recognize a server, according to its source. */
export type Look = {
  registryName?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  version?: string | undefined;
  icon?: string | undefined;
};

/** A server to import, before it has an id here. It contains no values of headers or secrets. */
export type WantedServer = { name: string; look: Look; target: Target; notes: string[] };

/** A Souk manifest, as written. */
export type OwnManifest = { name: string; document: Record<string, unknown>; notes: string[] };

/** An entry that cannot be imported, with the reason and what to do. */
type RefusedEntry = { name: string; refused: string; notes: string[] };

export type ReadEntry = WantedServer | OwnManifest | RefusedEntry;

/** Thrown when an entry cannot be imported. The message says why, and what to do. */
export class NotImportable extends Error {}
