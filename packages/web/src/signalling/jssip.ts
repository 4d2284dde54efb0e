import JsSIP from 'jssip';
import type { SipEnd } from '../errors/causes.js';

/** What this package uses of JsSIP 3. Its own types use Node's event emitter, and would be part of this package's. */
export interface SipStack {
  start(): void;
  stop(): void;
  register(): void;
  unregister(): void;
  call(target: string, options: object): SipSession;
  isRegistered(): boolean;
  isConnected(): boolean;
  /** The connection, which JsSIP otherwise opens again by its own, slower, intervals. */
  readonly transport: { connect(): void };
  on(name: 'connected' | 'disconnected' | 'registered' | 'unregistered', listener: () => void): void;
  on(name: 'registrationFailed', listener: (event: { response: SipResponse | null }) => void): void;
  on(name: 'newRTCSession', listener: (event: NewSession) => void): void;
}

export interface NewSession {
  readonly originator: 'local' | 'remote';
  readonly session: SipSession;
  readonly request: SipRequest;
}

export interface SipRequest {
  readonly call_id: string;
  getHeader(name: string): string | undefined;
}

export interface SipResponse {
  readonly status_code: number;
  readonly body?: string | null;
}

interface Name {
  readonly uri: { readonly user: string | null };
  readonly display_name: string | null;
}

/** An end, by either side. */
export interface SessionEnd {
  readonly originator: string;
  readonly cause: string;
  readonly message: (Partial<SipResponse> & Partial<Pick<SipRequest, 'getHeader'>>) | null;
}

/** The same, as its cause is read. */
export function endOf({ cause, originator, message }: SessionEnd): SipEnd {
  const reason = message?.getHeader?.('Reason') ?? null;
  return { cause, originator, status: message?.status_code ?? null, reason };
}

/** The outcome of a transfer by REFER (RFC 3515). */
export interface ReferEvents {
  readonly requestFailed: () => void;
  readonly accepted: () => void;
  readonly failed: () => void;
}

export interface SipSession {
  readonly connection: RTCPeerConnection | undefined;
  readonly remote_identity: Name;
  answer(options: object): void;
  terminate(options?: { status_code?: number; reason_phrase?: string }): void;
  isEnded(): boolean;
  isEstablished(): boolean;
  isReadyToReOffer(): boolean;
  hold(options: object, done: () => void): boolean;
  unhold(options: object, done: () => void): boolean;
  mute(options: { audio: boolean }): void;
  unmute(options: { audio: boolean }): void;
  renegotiate(options: { rtcOfferConstraints?: RTCOfferOptions }, done: () => void): boolean;
  sendDTMF(digits: string, options: object): void;
  refer(target: string, options: { eventHandlers: ReferEvents; replaces?: SipSession }): unknown;
  on(name: 'peerconnection', listener: (event: { peerconnection: RTCPeerConnection }) => void): void;
  on(name: 'progress', listener: (event: { originator: string; response: SipResponse | null }) => void): void;
  on(name: 'accepted' | 'confirmed', listener: () => void): void;
  on(name: 'ended' | 'failed', listener: (event: SessionEnd) => void): void;
  on(name: 'hold' | 'unhold', listener: (event: { originator: string }) => void): void;
  /** What JsSIP does when a request of this session gets no answer: it ends the call. */
  onTransportError: () => void;
  onRequestTimeout: () => void;
}

interface Library {
  readonly UA: new (options: object) => SipStack;
  readonly WebSocketInterface: new (url: string) => object;
}

/** The library is CommonJS: its exports are the default one. */
export const sip: Library = JsSIP as unknown as Library;
