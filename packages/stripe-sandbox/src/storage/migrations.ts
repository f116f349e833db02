/** Returns the migrations of the sandbox's only table, in its own schema. Each is applied once, by name. */
export function sandboxMigrations(schema: string): { name: string; statements: string[] }[] {
  return [
    {
      name: '0900-stripe-sandbox',
      statements: [
        `create schema ${schema}`,
        `create table ${schema}.objects (
          id text primary key,
          seq bigint generated always as identity,
          kind text not null,
          body jsonb not null,
          memory jsonb not null,
          timeline text not null,
          due_ms bigint,
          stored_ms bigint not null
        )`,
        `create index objects_kind on ${schema}.objects (kind, seq)`,
        `create index objects_due on ${schema}.objects (timeline, due_ms) where due_ms is not null`,
        `create index objects_body on ${schema}.objects using gin (body jsonb_path_ops)`,
        // lists by time of creation
        `create index objects_created on ${schema}.objects (kind, ((body ->> 'created')::bigint))`,
      ],
    },
  ];
}
