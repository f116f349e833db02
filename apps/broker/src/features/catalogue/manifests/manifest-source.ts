/** Where a version of a manifest was imported from. */
export type ManifestSource = {
  registryId: string;
  /** As they were then: a registry may be renamed and removed. */
  registry: { name: string; url: string };
  /** The name and the version there. */
  name: string;
  version: string;
  /** The fields that were made of it: what differs from them in a later version, an administrator has changed. */
  imported: Record<string, unknown>;
};
