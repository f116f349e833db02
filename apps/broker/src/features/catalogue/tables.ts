import type { QuestionKind } from '@souk/contract/manifest/manifest-basics.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { ServerStatus } from '@souk/contract/catalogue/catalogue.ts';
import type { ToolChangeKind, ToolChangeStatus } from '@souk/contract/catalogue/tool-changes.ts';
import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { IconType } from './icons/icon-type.ts';
import type { ManifestSource } from './manifests/manifest-source.ts';
import type { ServerFeature } from './snapshot/server-features.ts';

/** json or jsonb: read as the value, written as its JSON text. */
type Json<T> = ColumnType<T, string, string>;

/** A generated column. */
type Derived<T> = ColumnType<T, never, never>;

export type CapabilityKind = 'tool' | 'prompt' | 'resource' | 'template';

export type CatalogueTables = {
  servers: {
    id: string;
    slug: string;
    created_at: Generated<Date>;
    /** The version whose first discovery is trusted; its tools are in tool_pins. */
    pinned_version: string | null;
    /** The version whose list was approved as a whole: no discovery replaces it. */
    approved_version: string | null;
  };
  manifest_versions: {
    server_id: string;
    version: string;
    status: 'staging' | 'deployed' | 'superseded';
    body: Json<Manifest>;
    sha256: string;
    origin: 'bundled' | 'admin';
    created_by: string | null;
    created_at: Generated<Date>;
    deployed_at: Date | null;
    /** End of its deployment; null while it is deployed, and if it never was. */
    ended_at: Date | null;
    /** The administrator's reason for staging it. */
    reason: string | null;
    source: ColumnType<ManifestSource | null, string | null | undefined, string | null>;
    // generated from the body
    name: Derived<string>;
    service_type: Derived<string>;
    author: Derived<string | null>;
    description: Derived<string>;
    registry_name: Derived<string | null>;
    connection: Derived<Manifest['connection']>;
  };
  capabilities: {
    server_id: string;
    kind: CapabilityKind;
    name: string;
    position: number;
    exposed_name: string;
    body: Json<Record<string, unknown>>;
    sha256: string;
    flagged: boolean;
    /** Not shown or called until an administrator has approved its change. */
    under_review: boolean;
    text_changed_at: Date | null;
    /** The server lists the tool only to clients that can answer this. */
    asks: QuestionKind | null;
  };
  tool_pins: {
    server_id: string;
    name: string;
    manifest_version: string;
    sha256: string;
    definition: Json<Record<string, unknown>>;
    text_changed_at: Date | null;
  };
  tool_changes: {
    id: Generated<number>;
    server_id: string;
    tool: string;
    kind: ToolChangeKind;
    status: ToolChangeStatus;
    before: ColumnType<Record<string, unknown> | null, string | null, never>;
    after: Json<Record<string, unknown>>;
    after_sha256: string;
    found_at: Date;
    decided_at: Date | null;
    decided_by: string | null;
    reason: string | null;
  };
  tool_prices: {
    id: Generated<number>;
    server_id: string;
    tool: string;
    credits: number;
    /** Start of the price; in the future if it is announced. */
    since: Date;
    announced: boolean;
  };
  server_icons: {
    server_id: string;
    /** Address in the manifest that it was fetched from. */
    source: string;
    sha256: string;
    content_type: IconType;
    body: Uint8Array;
    fetched_at: Date;
  };
  server_health: {
    server_id: string;
    status: ServerStatus;
    detail: string | null;
    era: 'legacy' | 'modern' | null;
    era_at: Date | null;
    instructions: string | null;
    features: ServerFeature[] | null;
    /** Definitions that are left out, and why. */
    left_out: string | null;
    /** Hash of the last discovery's answer (answer-hash.ts); null to store the next answer in any case. */
    answer_sha256: string | null;
    checked_at: Date;
    /** Start of the status; null if unknown. */
    status_since: Date | null;
    discovered_at: Date | null;
  };
};

export type CatalogueDb = Kysely<CatalogueTables>;
export type Tx = Transaction<CatalogueTables>;

export type StoredCapability = {
  kind: CapabilityKind;
  name: string;
  exposedName: string;
  body: Record<string, unknown>;
  sha256: string;
  flagged: boolean;
  /** The server lists it only to clients that can answer this. */
  asks?: QuestionKind | undefined;
};

export type Reviewed = StoredCapability & { underReview: boolean; textChangedAt: Date | null };
