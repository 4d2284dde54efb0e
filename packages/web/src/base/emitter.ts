/** Events of an object: each name with what its listeners receive. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();

  /** Calls the listener at each event. @returns a function that removes it */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => this.off(name, listener);
  }

  /** The same, for one event. */
  once<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    const off = this.on(name, (event) => {
      off();
      listener(event);
    });
    return off;
  }

  off<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void {
    this.#listeners.get(name)?.delete(listener);
  }

  /** Whether anybody listens. */
  protected hears(name: keyof Events): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  /** A listener that throws does not keep the others from the event; the page's own handler gets the error. */
  protected emit<Name extends keyof Events>(
    ...[name, event]: Events[Name] extends undefined ? [name: Name] : [name: Name, event: Events[Name]]
  ): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        (listener as (event: unknown) => void)(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
