const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n`;
const SESSION = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'];

/** The offer of a softphone that sends no audio. */
export const AUDIO_OF_PHONE = lines(...SESSION, 'm=audio 9000 RTP/AVP 8', 'a=rtpmap:8 PCMA/8000');

/** The offer of a browser that sends no audio: the engine prepares ICE and DTLS for it, and nobody answers them. */
export const AUDIO_OF_BROWSER = lines(
  ...SESSION,
  'a=group:BUNDLE 0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 0',
  'a=rtcp:9 IN IP4 0.0.0.0',
  'a=candidate:1 1 udp 2122260223 127.0.0.1 9 typ host generation 0',
  'a=ice-ufrag:abcd',
  'a=ice-pwd:abcdefghijklmnopqrstuvwx',
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sendrecv',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
  'a=fmtp:111 minptime=10;useinbandfec=1',
  'a=rtpmap:0 PCMU/8000',
);
