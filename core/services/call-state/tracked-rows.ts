/** Rows by their ids, in the order in which they came, and which of them were put since the changes were last taken. */
export class TrackedRows<Row extends { readonly id: string }> {
  readonly #rows: Map<string, Row>;
  readonly #changed = new Set<string>();

  /** @param written known already: no changes */
  constructor(written: readonly Row[]) {
    this.#rows = new Map(written.map((row) => [row.id, row]));
  }

  get all(): readonly Row[] {
    return [...this.#rows.values()];
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** A row that is new or changed. */
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
