import type { LotSource } from '../accounts/change-credits.ts';
import type { CreditAccount } from '../accounts/read-account.ts';

type Lot = {
  idem: string;
  source: LotSource;
  granted: number;
  remaining: number;
  clawed: number;
  expired: number;
  expiry: 'never' | 'later' | 'past';
};

const sources: readonly LotSource[] = ['plan', 'promotional', 'purchased'];
const expiries: readonly Lot['expiry'][] = ['past', 'later', 'never'];

/** The expected state of an account, in a few lines of arithmetic: no database, no leases, sequential. */
export class AccountModel {
  lots: Lot[] = [];
  debt = 0;
  held = 0;
  /** Everything that was granted and taken. The ledger's entries must add up to it. */
  total = 0;

  get balance(): number {
    return this.lots.reduce((sum, lot) => sum + lot.remaining, 0);
  }
  get available(): number {
    return Math.max(0, this.balance - this.held - this.debt);
  }

  grant(lot: Pick<Lot, 'idem' | 'source' | 'expiry'>, credits: number): void {
    const repaid = Math.min(this.debt, credits);
    this.debt -= repaid;
    this.lots.push({ ...lot, granted: credits, remaining: credits - repaid, clawed: 0, expired: 0 });
    this.total += credits;
  }

  clawBack(idem: string, credits: number): number {
    const lot = this.lots.find((one) => one.idem === idem);
    const clawed = lot ? Math.min(credits, lot.granted - lot.clawed - lot.expired) : 0;
    if (!lot || clawed === 0) return 0;
    const taken = Math.min(clawed, this.balance - this.held);
    const own = Math.min(taken, lot.remaining);
    lot.clawed += clawed;
    lot.remaining -= own;
    this.burn(taken - own);
    this.debt += clawed - taken;
    this.total -= clawed;
    return clawed;
  }

  /** @returns the difference; undefined if the change is refused */
  set(idem: string, credits: number): number | undefined {
    if (credits < this.held) return undefined;
    const change = credits - this.balance + this.debt;
    if (change > 0) this.grant({ idem, source: 'promotional', expiry: 'never' }, change);
    else {
      this.burn(-change);
      this.total += change;
    }
    return change;
  }

  hold(credits: number): boolean {
    if (this.available < credits) return false;
    this.held += credits;
    return true;
  }

  settle(credits: number): void {
    this.held -= credits;
    this.burn(credits);
    this.total -= credits;
  }

  release(credits: number): void {
    this.held -= credits;
    this.tidy();
  }

  expire(): void {
    for (const lot of this.lots) if (lot.expiry === 'later') lot.expiry = 'past';
    this.tidy();
  }

  /** Returns what the product shows of the account. */
  shown(): Omit<CreditAccount, 'monthEndsAt' | 'monthlyCap' | 'spentThisMonth' | 'parts'> & {
    parts: Record<string, number>;
  } {
    const parts: Record<string, number> = {};
    for (const { source, remaining, expiry } of this.lots) {
      if (remaining > 0 && expiry !== 'past') parts[source] = (parts[source] ?? 0) + remaining;
    }
    return { balance: this.balance, held: this.held, debt: this.debt, available: this.available, parts };
  }

  /**
   * Removes what has expired and is not held, and repays debt with free credits. If a payment was clawed back while
   * calls held its credits, what comes back unspent reduces the resulting debt.
   */
  private tidy(): void {
    const past = this.lots.filter(({ expiry }) => expiry === 'past');
    const unspent = past.reduce(
      (sum, lot) => sum + Math.max(0, lot.clawed + lot.expired + lot.remaining - lot.granted),
      0,
    );
    const gone = Math.max(0, past.reduce((sum, lot) => sum + lot.remaining, 0) - this.held);
    const undone = Math.min(this.debt, gone, unspent);
    const before = new Map(past.map((lot) => [lot, lot.remaining]));
    this.burn(gone);
    for (const [lot, remaining] of before)
      lot.expired += Math.min(remaining - lot.remaining, lot.granted - lot.clawed - lot.expired);
    this.total -= gone - undone;
    this.debt -= undone;
    const repaid = Math.max(0, Math.min(this.debt, this.balance - this.held));
    this.burn(repaid);
    this.debt -= repaid;
  }

  private burn(credits: number): void {
    let left = credits;
    const rank = ({ source, expiry }: Lot) =>
      sources.indexOf(source) * expiries.length + expiries.indexOf(expiry) - (expiry === 'past' ? 100 : 0);
    for (const lot of this.lots.toSorted((a, b) => rank(a) - rank(b))) {
      const burned = Math.min(left, lot.remaining);
      lot.remaining -= burned;
      left -= burned;
    }
  }
}
