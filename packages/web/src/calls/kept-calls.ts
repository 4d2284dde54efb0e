/** What a page needs to know of a call after it was loaded again. */
export interface KeptCall {
  readonly direction: 'incoming' | 'outgoing';
  readonly name: string | null;
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly connectedAt: number;
  readonly isMuted: boolean;
  readonly isHeld: boolean;
}

interface Stored {
  readonly username: string;
  readonly calls: readonly KeptCall[];
}

/** The tab's `sessionStorage`. */
interface PageStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
  removeItem(key: string): void;
}

const KEY = 'hatif.web.calls';

/** The calls of a session in the tab's `sessionStorage`, so that the page that is loaded again continues them. */
export class KeptCalls {
  #written: string;

  /** @param storage null: nothing is kept */
  constructor(private readonly storage: PageStorage | null) {
    this.#written = attempt(() => storage?.getItem(KEY)) ?? '';
  }

  keep(username: string, calls: readonly KeptCall[]): void {
    const text = calls.length === 0 ? '' : JSON.stringify({ username, calls } satisfies Stored);
    if (this.storage === null || text === this.#written) return;
    this.#written = text;
    // A full storage costs only the convenience.
    attempt(() => (text === '' ? this.storage?.removeItem(KEY) : this.storage?.setItem(KEY, text)));
  }

  /** The calls of the page before. */
  of(username: string): KeptCall[] {
    const stored = this.#written === '' ? null : attempt(() => JSON.parse(this.#written) as Stored);
    return stored?.username === username ? [...stored.calls] : [];
  }
}

/** Takes the call out that was connected this long ago, as the platform counts; undefined if there is none. */
export function takeNearest(calls: KeptCall[], secondsAgo: number, now: number): KeptCall | undefined {
  const distance = ({ connectedAt }: KeptCall): number => Math.abs(now - secondsAgo * 1_000 - connectedAt);
  const [nearest] = [...calls].sort((a, b) => distance(a) - distance(b));
  if (nearest !== undefined) calls.splice(calls.indexOf(nearest), 1);
  return nearest;
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
