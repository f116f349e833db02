import { columns, sameInAll, type Cell, type Column } from './columns.ts';
import type { Bed } from './bed.ts';
import { withDeadline } from './deadline.ts';
import { knownFaults } from './known-faults.ts';
import { filledForm, isNameOf, type Connected, type Program, type Setting } from './program.ts';
import type { Trace } from './trace.ts';

const columnDeadlineMs = 150_000;
const listChangeMs = 8_000;
const restartMs = 180_000;
/** Longest pause between two attempts of a client that reconnects by itself. */
const reconnectMs = 30_000;

const travel = 'travel__find_airports';
const slow = ['everything__trigger-long-running-operation', { duration: 2, steps: 4 }] as const;
const notes = ['notes__list_tags', {}] as const;
const form = ['everything__trigger-elicitation-request', {}] as const;

/** Checks one client, column by column. @param wanted the columns to run */
export async function checkClient(
  program: Program,
  setting: Setting,
  bed: Bed,
  onCell: (column: Column, cell: Cell) => void = () => {},
  wanted: readonly Column[] = columns.map(([column]) => column),
): Promise<Record<Column, Cell>> {
  const check = new ClientCheck(program, setting, bed);
  const cells = sameInAll({ state: 'not run', note: 'not reached' });
  for (const column of wanted) {
    cells[column] = asKnownFault(program.name, column, await check.run(column));
    onCell(column, cells[column]);
    if (column === 'connect' && cells.connect.state !== 'ok') break;
  }
  await check.close();
  return cells;
}

function asKnownFault(client: string, column: Column, cell: Cell): Cell {
  if (cell.state !== 'failed') return cell;
  const known = knownFaults.find(
    (fault) => fault.client === client && fault.column === column && fault.when.test(cell.note),
  );
  return known ? { state: 'fault', note: known.says, thread: known.thread } : cell;
}

class ClientCheck {
  readonly #program: Program;
  readonly #setting: Setting;
  readonly #bed: Bed;
  #client: Connected | undefined;
  #limit = 0;

  constructor(program: Program, setting: Setting, bed: Bed) {
    this.#program = program;
    this.#setting = setting;
    this.#bed = bed;
  }

  async run(column: Column): Promise<Cell> {
    try {
      return await withDeadline(column, column === 'restart' ? restartMs : columnDeadlineMs, this.#checks[column]());
    } catch (error) {
      // the next column starts with a new connection
      await this.close();
      return { state: 'failed', note: describe(error) };
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await withDeadline('the end of the client', 20_000, client?.close() ?? Promise.resolve()).catch(() => {});
  }

  readonly #checks: Record<Column, () => Promise<Cell>> = {
    connect: async () => {
      await this.#connected();
      if (this.#person.signIns !== 1) throw new Error(`its user had to sign in ${this.#person.signIns} times`);
      return ok();
    },
    list: async () => {
      const client = await this.#connected();
      if (!(await this.#sees(client, true))) throw new Error(`no ${travel} in ${(await client.tools()).join(', ')}`);
      return ok();
    },
    call: async () => {
      await this.#callTravel();
      return ok();
    },
    progress: async () => {
      const client = await this.#connected();
      const before = this.#trace.calls.length;
      mustHave(await client.call(...slow), /completed/i);
      // one call may take several requests
      const calls = this.#trace.calls.slice(before).filter(({ tool }) => tool.endsWith('long-running-operation'));
      const notices = calls.reduce((sum, call) => sum + call.notices, 0);
      if (!calls.some(({ asksProgress }) => asksProgress))
        return { state: 'none', note: 'requests no progress; the long call returns its result' };
      if (notices < 2) throw new Error(`asked for progress, and ${notices} notices came`);
      return ok();
    },
    question: () => this.#question(),
    form: () => this.#form(),
    'off and on': () => this.#offAndOn(),
    restart: async () => {
      const client = await this.#connected();
      await this.#callTravel();
      const { signIns } = this.#person;
      await this.#bed.restart();
      const note = await this.#callAfterRestart(client);
      if (this.#person.signIns > signIns) throw new Error('its user had to sign in again');
      return ok(note);
    },
    refresh: async () => {
      if (this.#program.token) return { state: 'none', note: 'personal access tokens are not renewed' };
      await this.#callTravel();
      const { signIns } = this.#person;
      const { refreshes } = this.#trace;
      this.#bed.door.expireToken();
      await this.#callAfterLoss(await this.#connected()).catch((error: unknown) => {
        this.#person.mustSignIn = this.#trace.refreshes === refreshes;
        throw error;
      });
      if (this.#person.signIns > signIns) throw new Error('its user had to sign in again');
      if (this.#trace.refreshes === refreshes) throw new Error('it did not renew its token');
      return ok();
    },
    revoke: async () => {
      await this.#callTravel();
      const { signIns } = this.#person;
      await this.#person.disconnectAll();
      const answer = await attempt(this.#connected().then((client) => this.#findAirport(client)));
      if (this.#person.signIns === signIns && /LHR/.test(answer))
        throw new Error('a disconnected client got an answer');
      await this.close();
      await this.#callTravel();
      if (this.#person.signIns === signIns) throw new Error('it works without a new sign-in');
      return ok();
    },
  };

  async #question(): Promise<Cell> {
    const client = await this.#connected();
    const text = await attempt(client.call(...notes));
    if (isTags(text)) return ok('asks its user, then the call continues');
    mustHave(text, /\/connect\/notes/);
    await this.#person.connectNotes();
    const again = await client.call(...notes);
    if (!isTags(again)) throw new Error(`after the sign-in: ${shorten(again)}`);
    return ok('shows the link');
  }

  /**
   * Calls a tool that asks a question. Only clients that can answer list it; others call it by name, and get the reason why it
   * does not run.
   */
  async #form(): Promise<Cell> {
    const client = await this.#connected();
    const isListed = hasTool(await client.tools(), form[0]);
    const text = await attempt(
      isListed ? client.call(...form) : client.call('call_tool', { name: form[0], arguments: form[1] }),
    );
    if (isListed && text.includes(filledForm.name)) return ok();
    if (isListed && /User (?:declined|cancelled)/i.test(text))
      return {
        state: 'none',
        note: 'declares that it can ask its user, but declines without asking; the call says so',
      };
    mustHave(text, /needs a client that can ask you something/);
    if (isListed) throw new Error(`lists a tool that it cannot answer: ${shorten(text)}`);
    return { state: 'none', note: "cannot ask its user a server's question; the call says so" };
  }

  async #offAndOn(): Promise<Cell> {
    const client = await this.#connected();
    await this.#person.setEnabled('travel', false);
    let sawOff: boolean;
    try {
      sawOff = await this.#sees(client, false);
      const calls = this.#trace.calls.length;
      const text = await attempt(this.#findAirport(client));
      if (/LHR/.test(text)) throw new Error('a disabled service answers');
      if (this.#trace.calls.length > calls) mustHave(text, /switched (?:\w+ )?off/i);
      else if (/no such tool|offers its model no tool|not found/i.test(text)) sawOff = true;
      else if (!sawOff) throw new Error(`the call did not arrive: ${shorten(text)}`);
    } finally {
      await this.#person.setEnabled('travel', true);
    }
    const sawOn = await this.#sees(client, true);
    await this.#answersAgain(client, listChangeMs);
    return sawOff && sawOn ? ok() : ok('keeps its old list; the call says that the service is off');
  }

  /** Whether the client's list shows the change within a few seconds. */
  async #sees(client: Connected, on: boolean): Promise<boolean> {
    const until = Date.now() + listChangeMs;
    do {
      if (hasTool(await client.tools(), travel) === on) return true;
      await new Promise((resolve) => setTimeout(resolve, 500)); // then ask again
    } while (Date.now() < until);
    return false;
  }

  /**
   * Repeats the call until it works. The list does not show when that is, because a client may show its model an older list
   * than the one by which it refuses calls.
   */
  async #answersAgain(client: Connected, withinMs: number): Promise<void> {
    const until = Date.now() + withinMs;
    let text: string;
    do text = await attempt(this.#findAirport(client));
    while (!/LHR/.test(text) && Date.now() < until);
    mustHave(text, /LHR/);
  }

  async #callTravel(): Promise<void> {
    const client = await this.#connected();
    mustHave(await this.#findAirport(client), /LHR/);
  }

  /** Calls after a restart. A client with growing pauses between attempts may reconnect some seconds after the product is back. */
  async #callAfterRestart(client: Connected): Promise<string | undefined> {
    const first = await attempt(this.#findAirport(client));
    if (/LHR/.test(first)) return undefined;
    if (!/MCP server "souk" is not connected/.test(first)) return this.#secondCall(client, first);
    await this.#answersAgain(client, reconnectMs);
    return 'reports that it is not connected until its next attempt';
  }

  /** Calls with a refused token. A client that works only at the second call is reported as such. */
  async #callAfterLoss(client: Connected): Promise<void> {
    const first = await attempt(this.#findAirport(client));
    if (!/LHR/.test(first)) await this.#secondCall(client, first);
  }

  async #secondCall(client: Connected, first: string): Promise<never> {
    const second = await attempt(this.#findAirport(client));
    throw new Error(`${/LHR/.test(second) ? 'only the second call worked: ' : ''}${shorten(first)}`);
  }

  /** Calls with different arguments each time, because some clients treat repeated identical calls as a loop. */
  #findAirport(client: Connected): Promise<string> {
    this.#limit += 1;
    return client.call(travel, { query: 'Heathrow', limit: this.#limit });
  }

  async #connected(): Promise<Connected> {
    this.#client ??= await this.#program.connect(this.#setting);
    return this.#client;
  }

  get #person() {
    return this.#setting.person;
  }

  get #trace(): Trace {
    return this.#bed.door.trace;
  }
}

const ok = (note?: string): Cell => ({ state: 'ok', ...(note !== undefined && { note }) });
const hasTool = (tools: readonly string[], tool: string) => tools.some((one) => isNameOf(one, tool));
/** Whether a text is an empty list of tags, in words or as data. */
const isTags = (text: string) => /have no tags|tags\\*":\s*\[\]/.test(text);

function mustHave(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`no ${String(pattern)} in: ${shorten(text)}`);
}

/** Returns the answer, or the error as text. */
function attempt(work: Promise<string>): Promise<string> {
  return work.catch(describe);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return shorten(String(error));
  const data = 'data' in error ? ` ${JSON.stringify(error.data)}` : '';
  const cause = error.cause === undefined ? '' : `: ${describe(error.cause)}`;
  return shorten(`${error.message}${data}${cause}`);
}

const shorten = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 600);
