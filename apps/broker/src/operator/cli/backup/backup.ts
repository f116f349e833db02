import type { Command } from '../command.ts';

const backupCommand: Command = {
  name: 'backup',
  summary: 'writes all data into one file, from which restore makes the same shop elsewhere; Souk may run meanwhile',
  usage: 'backup FILE [--with-key]',
  options: { 'with-key': { type: 'boolean' } },
  argument: 'FILE',
  help: [
    ['FILE', 'a new file, such as souk.tar.zst; an existing file is not replaced'],
    ['--with-key', 'include the master key: anyone who reads the file can then read every secret'],
    ['', 'without --with-key, store the master key elsewhere: without it the secrets are lost'],
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
    ['FILE', 'a backup of the embedded database or of PostgreSQL'],
    ['--check', 'restore into a temporary database, check it, and print what a restore would bring'],
    ['', 'DATABASE_URL and DATA_DIR name the target; its kind of database may differ from before'],
  ],
  run: async (values, cli) => (await import('./restore-backup.ts')).restore(values, cli),
  standsAlone: true,
};

/** The commands that back up and restore a shop. What they need is loaded only when they run. */
export const backupCliCommands: readonly Command[] = [
  backupCommand,
  restoreCommand,
  {
    ...backupCommand,
    name: 'export',
    summary: 'writes all data into one file like backup, to move the shop to another machine or database',
    usage: 'export FILE [--with-key]',
  },
  {
    ...restoreCommand,
    name: 'import',
    summary: 'makes a new shop like restore, from a file of export or backup',
    usage: 'import FILE [--check]',
  },
  {
    name: 'upgrade',
    summary: 'upgrades a copy of the database as a start of this version would, and checks the result',
    usage: 'upgrade --check',
    options: { check: { type: 'boolean' } },
    help: [
      [
        '--check',
        'required; on PostgreSQL the copy is another database of the same server, which is dropped afterwards',
      ],
      ['', 'the database itself is not changed: a start of this version upgrades it'],
    ],
    run: async (values, cli) => (await import('../checks/upgrade-check.ts')).checkUpgrade(values, cli),
  },
  {
    name: 'rotate-key',
    summary: 're-encrypts every secret with another master key; Souk may run meanwhile, and you can repeat the command',
    usage: 'rotate-key --new FILE',
    options: { new: { type: 'string' } },
    help: [
      ['--new FILE', 'the new key: 32 random bytes in base64url, in a file that only you can read (chmod 600)'],
      ['', 'before: set MASTER_KEY_NEXT_FILE to that file at every broker, and restart each'],
      ['', 'afterwards: set MASTER_KEY to it at every broker; docs/keys.md lists each step'],
    ],
    run: async (values, cli) => (await import('./rotate-key.ts')).rotateKey(values, cli),
  },
];
