import type { Account } from './account.js';

interface Stored {
  readonly tokenEnd: string;
  readonly account: Account;
}

const KEY = 'hatif.web';
/** Enough to know the token again; the rest of it is a secret. */
const TOKEN_END = 16;
/** An account that is about to end is not worth a try. */
const LEAST_MS = 5_000;

/** The account in the tab's `sessionStorage`: a page that is loaded again has spent its token, but may continue. */
export class AccountStore {
  /** @param isUsed false: nothing is kept */
  constructor(private readonly isUsed: boolean) {}

  /** @param token null: of any token */
  find(token: string | null): Account | null {
    const stored = this.#read();
    if (stored === null) return null;
    if (token !== null && stored.tokenEnd !== token.slice(-TOKEN_END)) return null;
    return Date.parse(stored.account.expires_at) - Date.now() > LEAST_MS ? stored.account : null;
  }

  keep(token: string, account: Account): void {
    if (!this.isUsed) return;
    const stored: Stored = { tokenEnd: token.slice(-TOKEN_END), account };
    // A full or forbidden storage costs only the convenience.
    attempt(() => sessionStorage.setItem(KEY, JSON.stringify(stored)));
  }

  forget(): void {
    if (this.isUsed) attempt(() => sessionStorage.removeItem(KEY));
  }

  #read(): Stored | null {
    if (!this.isUsed) return null;
    const text = attempt(() => sessionStorage.getItem(KEY)) ?? null;
    return text === null ? null : (attempt(() => JSON.parse(text) as Stored) ?? null);
  }
}

/** Null where the browser forbids it. */
export function tabStorage(): Storage | null {
  return attempt(() => sessionStorage) ?? null;
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
