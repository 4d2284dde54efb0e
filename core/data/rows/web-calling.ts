import type { Metadata } from '../../model/metadata.js';
import type { WebRights, WebSessionEnd } from '../../model/web-calling.js';

/** One browser that may call and be called. */
export interface WebSessionRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  /** It has SIP credentials that no engine knows. */
  readonly sandbox: boolean;
  readonly identity: string;
  /** The extension of the agent who calls; null: nobody of the project's agents. */
  readonly agent: string | null;
  readonly display_name: string;
  readonly rights: WebRights;
  readonly require_relay: boolean;
  readonly metadata: Metadata;
  /** SIP user name, unique on every engine. */
  readonly aor: string;
  /** Sealed. */
  readonly sip_password: string;
  readonly created_at: Date;
  /** When a browser first got the SIP credentials. */
  readonly connected_at: Date | null;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
  readonly end_reason: WebSessionEnd | null;
  /** When no call of the browser was left after the end. */
  readonly calls_ended_at: Date | null;
}

export interface WebTokenRow {
  /** Keyed by the whole token. */
  readonly hash: string;
  readonly session_id: string;
  readonly created_at: Date;
  readonly spent_at: Date | null;
  readonly nonce_hash: string | null;
}
