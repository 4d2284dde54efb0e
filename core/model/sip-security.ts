/** Whether the audio of a call is encrypted (SRTP, RFC 3711): never, if the other side can, or always. */
export type SrtpMode = 'off' | 'offered' | 'required';

/**
 * How calls are protected from eavesdroppers. The keys of SRTP travel in the signalling (SDES, RFC 4568), so they are
 * exchanged over TLS only.
 */
export interface SipSecurity {
  /** Softphones reach the engines over TLS only. Otherwise `phones` is `off`. */
  readonly phonesNeedTls: boolean;
  readonly phones: SrtpMode;
  /** Of trunks whose transport is TLS; other trunks have none. */
  readonly trunks: SrtpMode;
}

export const NO_SIP_SECURITY: SipSecurity = { phonesNeedTls: false, phones: 'off', trunks: 'off' };

/** Where a softphone registers, and how. */
export interface PhoneServer {
  readonly host: string;
  readonly port: number;
  /** `udp`: TCP is taken as well, and TLS where it is on. `tls`: nothing else is. */
  readonly transport: 'udp' | 'tls';
}

/** Whether calls over the trunk are encrypted. */
export function srtpOf(
  trunk: { readonly transport: string; readonly isPeer?: boolean },
  security: SipSecurity,
): SrtpMode {
  return trunk.transport === 'tls' && trunk.isPeer !== true ? security.trunks : 'off';
}
