/** Pieces of at least this size are kept as they arrived. A Buffer costs some 200 bytes, even for a single byte. */
const largeBytes = 2048;
const roomBytes = 16 * 1024;

/**
 * Collects bytes that arrive in pieces, using little more memory than the bytes themselves: the sender chooses how small
 * the pieces are. A single piece is never copied.
 */
export class GatheredBytes {
  length = 0;
  /** The only piece so far: most answers and bodies arrive in one. */
  #single: Buffer | undefined = undefined;
  #joined: JoinedPieces | undefined = undefined;

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.length === 0) this.#single = piece;
    else {
      this.#joined ??= new JoinedPieces();
      if (this.#single) this.#joined.add(this.#single);
      this.#single = undefined;
      this.#joined.add(piece);
    }
    this.length += piece.length;
  }

  /** Returns all bytes in one Buffer, and forgets them. */
  take(): Buffer {
    const all = this.#single ?? this.#joined?.whole(this.length) ?? nothing;
    this.length = 0;
    this.#single = undefined;
    this.#joined = undefined;
    return all;
  }
}

const nothing = Buffer.alloc(0);

/** Joins small pieces, and keeps large ones as they are. */
class JoinedPieces {
  readonly #parts: Buffer[] = [];
  #room = nothing;
  #used = 0;

  add(piece: Buffer): void {
    if (piece.length >= largeBytes) {
      this.#closePart();
      this.#parts.push(piece);
      return;
    }
    if (this.#room.length - this.#used < piece.length) {
      this.#closePart();
      this.#room = Buffer.allocUnsafeSlow(roomBytes);
    }
    piece.copy(this.#room, this.#used);
    this.#used += piece.length;
  }

  whole(length: number): Buffer {
    this.#closePart();
    return Buffer.concat(this.#parts, length);
  }

  /** Turns the used room into a part; the rest of it takes the next pieces. */
  #closePart(): void {
    if (this.#used === 0) return;
    this.#parts.push(this.#room.subarray(0, this.#used));
    this.#room = this.#room.subarray(this.#used);
    this.#used = 0;
  }
}
