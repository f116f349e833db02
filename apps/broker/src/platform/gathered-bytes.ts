/** Pieces of at least this size are kept as they came; a Buffer of its own costs some 200 bytes, also for one byte. */
const largeBytes = 2048;
const roomBytes = 16 * 1024;

/**
 * Bytes that arrive in pieces, in little more memory than they have themselves, however small the pieces are: whoever sends
 * them chooses that. A single piece is never copied.
 */
export class GatheredBytes {
  length = 0;
  #parts: Buffer[] = [];
  /** The only piece so far, while it is small. */
  #single: Buffer | undefined;
  /** Where small pieces are put one behind the other. */
  #room: Buffer | undefined;
  #used = 0;

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.length === 0) this.#single = piece;
    else {
      if (this.#single) this.#put(this.#single);
      this.#single = undefined;
      this.#put(piece);
    }
    this.length += piece.length;
  }

  /** All of them in one Buffer; there are none afterwards. */
  take(): Buffer {
    this.#closePart();
    const parts = this.#single ? [this.#single] : this.#parts;
    const [first] = parts;
    const all = parts.length === 1 && first ? first : Buffer.concat(parts, this.length);
    this.length = 0;
    this.#parts = [];
    this.#single = undefined;
    this.#room = undefined;
    return all;
  }

  #put(piece: Buffer): void {
    if (piece.length >= largeBytes) {
      this.#closePart();
      this.#parts.push(piece);
      return;
    }
    if (!this.#room || this.#room.length - this.#used < piece.length) {
      this.#closePart();
      this.#room = Buffer.allocUnsafeSlow(roomBytes);
    }
    piece.copy(this.#room, this.#used);
    this.#used += piece.length;
  }

  /** What is in the room becomes a part; what is left of the room takes the next pieces. */
  #closePart(): void {
    if (!this.#room || this.#used === 0) return;
    this.#parts.push(this.#room.subarray(0, this.#used));
    this.#room = this.#room.subarray(this.#used);
    this.#used = 0;
  }
}
