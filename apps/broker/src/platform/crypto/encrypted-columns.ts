import type { SecretContext } from './vault.ts';

export type EncryptedColumn = {
  table: string;
  column: string;
  /** The member with the sealed text, for a jsonb column. */
  member?: string;
  /** The columns of the primary key in their order, with their types. */
  key: Readonly<Record<string, string>>;
  /** Further columns that the value is bound to. */
  reads?: readonly string[];
  /** Returns the additional data of the encryption, to which the value is bound. @param row the columns of `key` and `reads` as text */
  boundTo(row: Readonly<Record<string, string>>): Omit<SecretContext, 'table'>;
};

const boundToRow = ({ id = '' }: Readonly<Record<string, string>>) => ({ row: id, userId: '' });
const boundToUsersRow = ({ id = '', user_id: userId = '' }: Readonly<Record<string, string>>) => ({ row: id, userId });

/**
 * Every encrypted column of the database. A rotation of the master key rewrites them, and `souk restore --check` opens each
 * value: a column that is missing here would be lost with the old key. encrypted-columns.test.ts compares the list with the
 * schema.
 */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'signing_keys', column: 'sealed_key', key: { id: 'text' }, boundTo: boundToRow },
  {
    table: 'kept_keys',
    column: 'sealed',
    key: { purpose: 'text' },
    boundTo: ({ purpose = '' }) => ({ row: purpose, userId: '' }),
  },
  {
    table: 'oauth_records',
    column: 'payload',
    member: 'client_secret',
    key: { model: 'text', id: 'text' },
    boundTo: ({ model, id }) => ({ row: `${model}:${id}`, userId: '' }),
  },
  { table: 'upstream_registrations', column: 'sealed_secret', key: { id: 'uuid' }, boundTo: boundToRow },
  {
    table: 'upstream_connections',
    column: 'sealed',
    key: { user_id: 'uuid', server_id: 'text' },
    reads: ['id'],
    boundTo: boundToUsersRow,
  },
  { table: 'upstream_sign_ins', column: 'sealed', key: { id: 'uuid' }, reads: ['user_id'], boundTo: boundToUsersRow },
  {
    table: 'server_secrets',
    column: 'sealed',
    key: { server_id: 'text', kind: 'text', name: 'text', place_hash: 'text' },
    reads: ['place'],
    boundTo: ({ server_id: serverId, kind, name, place }) => ({
      row: JSON.stringify([serverId, kind, name, place]),
      userId: '',
    }),
  },
];

/** Names a column in messages: "oauth_records.payload.client_secret". */
export const nameOf = ({ table, column, member }: EncryptedColumn): string =>
  [table, column, member].filter((part) => part !== undefined).join('.');
