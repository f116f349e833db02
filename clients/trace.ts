import { asRecord } from '../apps/broker/src/platform/json.ts';

export type SeenCall = { tool: string; asksProgress: boolean; notices: number };

/** Record of one client's requests through the door. */
export class Trace {
  protocol = '';
  userAgent = '';
  /** The client's name and version, from its requests. */
  clientInfo = '';
  capabilities: readonly string[] = [];
  /** The kind of sign-in: registration or metadata document. */
  signIn = '';
  refreshes = 0;
  /** Number of lists of tools that the client received. */
  lists = 0;
  readonly calls: SeenCall[] = [];

  /** Returns a summary for the row: client, protocol revision, kind of sign-in. */
  told(): string {
    const parts = [this.clientInfo, this.protocol, this.signIn === '' ? '' : `by ${this.signIn}`];
    const asks = this.capabilities.includes('elicitation') ? 'answers questions' : '';
    return [...parts, asks].filter((part) => part !== '').join(', ');
  }

  /**
   * Records one message of the client.
   * @returns the call, if the message is one
   */
  record(body: unknown): SeenCall | undefined {
    const { method, params } = { ...asRecord(body) };
    const given = { ...asRecord(params) };
    const meta = { ...asRecord(given['_meta']) };
    const claim = (key: string) => given[key] ?? meta[`io.modelcontextprotocol/${key}`];
    const info = asRecord(claim('clientInfo'));
    if (info) this.clientInfo = `${String(info['name'])} ${String(info['version'])}`;
    const capabilities = asRecord(given['capabilities'] ?? meta['io.modelcontextprotocol/clientCapabilities']);
    if (capabilities) this.capabilities = Object.keys(capabilities);
    const protocol = claim('protocolVersion');
    if (typeof protocol === 'string') this.protocol = protocol;
    if (method !== 'tools/call') return undefined;
    const call = { tool: String(given['name']), asksProgress: 'progressToken' in meta, notices: 0 };
    this.calls.push(call);
    return call;
  }
}
