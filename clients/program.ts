import type { Person } from './person.ts';
import type { Processes } from './processes.ts';
import type { Trace } from './trace.ts';

/** Environment in which a client runs. */
export type Setting = {
  link: string;
  person: Person;
  /** Returns the record of the client's actions until now. */
  trace(): Trace;
  /** A folder for the client's own state, at first empty and kept between its connections. */
  home: string;
  /** The folder where the client's packages are installed. */
  packages: string;
  processes: Processes;
};

/** A connected client. Its calls fail once it is no longer connected. */
export type Connected = {
  /** Returns the client's current tools under its own names, each of which ends in our name. */
  tools(): Promise<readonly string[]>;
  /** Returns the answer of a tool as the client passes it on, failures of the tool included. */
  call(tool: string, args: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
};

export type Program = {
  /** The name on the command line. */
  name: string;
  label: string;
  /** Key in versions.json. Undefined for packages of this repository. */
  packages?: string;
  /** The package whose version is shown in the row. */
  package: string;
  /** Whether it uses a personal token instead of a sign-in. */
  token?: boolean;
  connect(setting: Setting): Promise<Connected>;
};

/** The user's answer to the form of a server. */
export const filledForm = { name: 'Ann Example' };

/** Whether a client's name for a tool means ours: some clients add a prefix, and some allow no hyphens. */
export const isNameOf = (name: string, tool: string) => name.replaceAll('-', '_').endsWith(tool.replaceAll('-', '_'));
