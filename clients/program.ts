import type { Person } from './person.ts';
import type { Processes } from './processes.ts';
import type { Trace } from './trace.ts';

/** What a client needs to run here. */
export type Setting = {
  link: string;
  person: Person;
  /** What it was seen to do until now. */
  trace(): Trace;
  /** An empty folder for the client's own state, kept from one connection of this client to the next. */
  home: string;
  /** Where its packages are installed. */
  packages: string;
  processes: Processes;
};

/** A client that is connected, or says by its errors that it is not. */
export type Connected = {
  /** The tools that it has now, under its own names: each ends in ours. */
  tools(): Promise<readonly string[]>;
  /** The answer of a tool as the client passes it on, failures of the tool included. */
  call(tool: string, args: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
};

export type Program = {
  /** How it is named on the command line. */
  name: string;
  label: string;
  /** Key in versions.json. Undefined for what the tree itself has. */
  packages?: string;
  /** The package whose version stands in the row. */
  package: string;
  /** It has a token of its user instead of a sign-in. */
  token?: boolean;
  connect(setting: Setting): Promise<Connected>;
};

/** What a client's user writes into the form of a server. */
export const filledForm = { name: 'Ann Example' };

/** Whether a client's name for a tool is its form of ours: some put words before it, and some know no hyphen. */
export const isNameOf = (name: string, tool: string) => name.replaceAll('-', '_').endsWith(tool.replaceAll('-', '_'));
