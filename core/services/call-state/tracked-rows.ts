/** Rows by id in insertion order, with a record of those changed since the changes were last taken. */
export class TrackedRows<Row extends { readonly id: string }> {
  readonly #rows: Map<string, Row>;
  readonly #changed = new Set<string>();

  /** @param written stored rows, which do not count as changes */
  constructor(written: readonly Row[]) {
    this.#rows = new Map(written.map((row) => [row.id, row]));
  }

  get all(): readonly Row[] {
    return [...this.#rows.values()];
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** Adds or replaces a row. */
  put(row: Row): void {
    this.#rows.set(row.id, row);
    this.#changed.add(row.id);
  }

  takeChanged(): Row[] {
    const changed = [...this.#changed].flatMap((id) => this.#rows.get(id) ?? []);
    this.#changed.clear();
    return changed;
  }
}
