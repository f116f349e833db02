import type { Command } from '../command.ts';

const backupCommand: Command = {
  name: 'backup',
  summary: 'writes all data into one file, while Souk runs or not, from which restore makes the same shop elsewhere',
  usage: 'backup FILE [--with-key]',
  options: { 'with-key': { type: 'boolean' } },
  argument: 'FILE',
  help: [
    ['FILE', 'a new file, such as souk.tar.zst; a file that exists is not replaced'],
    ['--with-key', 'the master key is in it too: a reader of the file can read every secret'],
    ['', 'without --with-key, keep the master key at another place: without it the secrets are lost'],
  ],
  run: async (values, cli) => (await import('./take-backup.ts')).backup(values, cli),
};

const restoreCommand: Command = {
  name: 'restore',
  summary: 'makes a new shop from a backup, in the empty database and data folder of the configuration',
  usage: 'restore FILE [--check]',
  options: { check: { type: 'boolean' } },
  argument: 'FILE',
  help: [
    ['FILE', 'what backup wrote, from the embedded database or from PostgreSQL'],
    ['--check', 'fill a temporary database, check it, and say what a restore would bring; nothing else is changed'],
    ['', 'DATABASE_URL and DATA_DIR say where it goes; the database may be of another kind than before'],
  ],
  run: async (values, cli) => (await import('./restore-backup.ts')).restore(values, cli),
  standsAlone: true,
};

/** The archive of a shop, taken and put back, under both pairs of names. Only these commands load what they need. */
export const backupCliCommands: readonly Command[] = [
  backupCommand,
  restoreCommand,
  {
    ...backupCommand,
    name: 'export',
    summary: 'does what backup does: writes all data into one file, to move the shop to another machine or database',
    usage: 'export FILE [--with-key]',
  },
  {
    ...restoreCommand,
    name: 'import',
    summary: 'does what restore does: makes a new shop from what export or backup wrote',
    usage: 'import FILE [--check]',
  },
  {
    name: 'upgrade',
    summary: 'does to a copy of the database what a start of this version does to it, and checks what came of it',
    usage: 'upgrade --check',
    options: { check: { type: 'boolean' } },
    help: [
      ['--check', 'on PostgreSQL the copy is another database of the same server, which is dropped afterwards'],
      ['', 'the database itself is not changed: a start of this version upgrades it'],
    ],
    run: async (values, cli) => (await import('../checks/upgrade-check.ts')).checkUpgrade(values, cli),
  },
  {
    name: 'rotate-key',
    summary:
      'encrypts every secret anew with another master key, while Souk runs or not; it can be repeated at any time',
    usage: 'rotate-key --new FILE',
    options: { new: { type: 'string' } },
    help: [
      ['--new FILE', 'the new key: 32 random bytes in base64url, in a file that only you can read (chmod 600)'],
      ['', 'before: set MASTER_KEY_NEXT_FILE to that file at every broker, and restart each'],
      ['', 'afterwards: make it the MASTER_KEY of every broker; docs/keys.md has each step'],
    ],
    run: async (values, cli) => (await import('./rotate-key.ts')).rotateKey(values, cli),
  },
];
