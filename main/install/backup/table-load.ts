/** Joins the pieces of several members into one stream of rows. */
export class TableLoad {
  readonly #rows: Promise<number>;
  readonly #channel = new TransformStream<Uint8Array, Uint8Array>();
  readonly #writer = this.#channel.writable.getWriter();

  constructor(
    readonly name: string,
    load: (pieces: AsyncIterable<Uint8Array>) => Promise<number>,
  ) {
    this.#rows = load(this.#channel.readable);
    // An error of the database also fails the writer.
    this.#rows.catch((error: unknown) => this.#writer.abort(error).catch(() => undefined));
  }

  async pass(content: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of content) await Promise.race([this.#writer.write(piece), this.#rows]);
  }

  async end(): Promise<number> {
    await Promise.race([this.#writer.close(), this.#rows]);
    return this.#rows;
  }

  abort(): void {
    this.#writer.abort().catch(() => undefined);
  }
}
