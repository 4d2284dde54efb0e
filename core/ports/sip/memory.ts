import type { TrunkState } from '../../model/trunks/state.js';

/**
 * What the processes of the SIP edge share in a fast store. It can be lost at any moment: the truth is in the database.
 * While the store is away, each process counts for itself, texts are unknown, and announcements do not arrive. Nothing
 * here rejects.
 */
export interface SipMemory {
  /**
   * Notes that a nonce was used with this count (`nc`, RFC 7616 §3.4).
   * @returns false if it was used with this count or a higher one before
   */
  useNonce(nonce: string, count: number, keepMs: number): Promise<boolean>;
  /** Counts an event under the key. @returns how many there were since the first one, which is forgotten after `keepMs` */
  count(key: string, keepMs: number): Promise<number>;
  read(key: string): Promise<string | null>;
  write(key: string, text: string, keepMs: number): Promise<void>;
  /** Leaves a text as it is that another process wrote meanwhile. */
  writeIfAbsent(key: string, text: string, keepMs: number): Promise<void>;
  remove(key: string): Promise<void>;
  /** Tells every process of the platform, this one included. */
  announce(notice: SipNotice): Promise<void>;
  /** @returns ends the listening */
  follow(listener: (notice: SipNotice) => void): () => void;
}

/** The text that is there while a process of the edge reaches drachtio-server, and for how long each writes it. */
export const EDGE_ALIVE = 'edge';
export const EDGE_ALIVE_MS = 5_000;

/** The text that says whether a trunk answers the probes of the edge: `up` or `down`. */
export function trunkStateKey(trunkId: string): string {
  return `trunk:${trunkId}`;
}

/** @param text as read; null before the first probe ended */
export function trunkStateIn(text: string | null): TrunkState {
  return text === 'up' || text === 'down' ? text : 'unknown';
}

export type SipNotice =
  /** A softphone has got its first contact, or lost its last one. */
  | { readonly type: 'registration'; readonly aor: string; readonly registered: boolean }
  /** Lockouts or lists of networks changed. */
  | { readonly type: 'guards' };
