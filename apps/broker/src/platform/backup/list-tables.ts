import type { Query } from '../db/database.ts';
import { migrationTableName } from '../db/product-versions.ts';

export type Column = { name: string; type: string };
export type Partition = { name: string; from: string; to: string };
export type Table = {
  /** The name with its schema, quoted if necessary: "public.users". */
  name: string;
  /** The stored columns, without generated ones. */
  columns: readonly Column[];
  /** The partitions by time, without the default one, which the table's migration creates. */
  partitions: readonly Partition[];
};

/** The job queue recreates its tables and jobs at each start. */
const leftOut = ['pgboss'];

/** Lists all tables of the product, each after the tables that it refers to. Runs on both engines. */
export async function listTables(query: Query): Promise<Table[]> {
  const { rows } = await query<{ name: string; columns: Column[]; partitions: PartitionRow[]; needs: string[] }>(
    `with product as (
       select c.oid, format('%I.%I', n.nspname, c.relname) as name, c.relkind
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
         and n.nspname <> all($1) and c.relname <> all($2))
     select name,
       (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
        from pg_attribute a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       coalesce((select json_agg(json_build_object('name', p.relname, 'bound', pg_get_expr(p.relpartbound, p.oid)) order by p.relname)
        from pg_inherits i join pg_class p on p.oid = i.inhrelid where i.inhparent = t.oid and t.relkind = 'p'), '[]') as partitions,
       coalesce((select json_agg(distinct format('%I.%I', n.nspname, c.relname))
        from pg_constraint f join pg_class c on c.oid = f.confrelid join pg_namespace n on n.oid = c.relnamespace
        where f.conrelid = t.oid and f.contype = 'f'), '[]') as needs
     from product t order by name`,
    [leftOut, [migrationTableName, `${migrationTableName}_lock`]],
  );
  const tables = rows.map(({ name, columns, partitions, needs }) => ({
    table: { name, columns, partitions: partitions.filter(({ bound }) => bound !== 'DEFAULT').map(readBound) },
    needs: needs.filter((other) => other !== name),
  }));
  return inOrder(tables);
}

type PartitionRow = { name: string; bound: string };

/** Reads a bound that consists of two times. @throws Error for any other kind of bound */
function readBound({ name, bound }: PartitionRow): Partition {
  const [, from, to] = /^FOR VALUES FROM \('([^']+)'\) TO \('([^']+)'\)$/.exec(bound) ?? [];
  if (from === undefined || to === undefined) throw new Error(`the partition ${name} has an unknown bound: ${bound}`);
  return { name, from, to };
}

function inOrder(tables: readonly { table: Table; needs: readonly string[] }[]): Table[] {
  const ordered: Table[] = [];
  const done = new Set<string>();
  let waiting = [...tables];
  while (waiting.length > 0) {
    const ready = waiting.filter(({ needs }) => needs.every((name) => done.has(name)));
    if (ready.length === 0) throw new Error(`tables refer to each other in a circle: ${waiting[0]?.table.name}`);
    for (const { table } of ready) {
      ordered.push(table);
      done.add(table.name);
    }
    waiting = waiting.filter(({ table }) => !done.has(table.name));
  }
  return ordered;
}
