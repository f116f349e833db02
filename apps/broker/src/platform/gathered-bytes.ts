/** Pieces of at least this size are kept as they came; a Buffer of its own costs some 200 bytes, also for one byte. */
const largeBytes = 2048;
const roomBytes = 16 * 1024;

/**
 * Gathers bytes that arrive in pieces, in little more memory than the bytes themselves take. The sender chooses how small the
 * pieces are. A single piece is never copied.
 */
export class GatheredBytes {
  length = 0;
  /** The only piece so far: most answers and bodies come in one. */
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

  /** All of them in one Buffer; there are none afterwards. */
  take(): Buffer {
    const all = this.#single ?? this.#joined?.whole(this.length) ?? nothing;
    this.length = 0;
    this.#single = undefined;
    this.#joined = undefined;
    return all;
  }
}

const nothing = Buffer.alloc(0);

/** Small pieces one behind the other, large ones as they are. */
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

  /** What is in the room becomes a part; what is left of the room takes the next pieces. */
  #closePart(): void {
    if (this.#used === 0) return;
    this.#parts.push(this.#room.subarray(0, this.#used));
    this.#room = this.#room.subarray(this.#used);
    this.#used = 0;
  }
}
