/** Origin of an imported manifest. */
export type ManifestSource = {
  registryId: string;
  /** State at the import: a registry may be renamed and removed. */
  registry: { name: string; url: string };
  /** Name and version at the registry. */
  name: string;
  version: string;
  /** The imported fields: where a later version differs, an administrator has changed it. */
  imported: Record<string, unknown>;
};
