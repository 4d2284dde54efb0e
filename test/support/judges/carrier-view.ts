import { expect } from 'chai';

/** A header field with which a carrier challenges a call. */
export function challenge(nonce: string): string {
  return `Proxy-Authenticate: Digest realm="carrier", nonce="${nonce}", algorithm=MD5, qop="auth"`;
}

/** Expects that a message tells a carrier nothing about the engine but where it hears its audio. */
export function seesNoEngine(message: string, enginePorts: readonly number[]): void {
  expect(message).not.to.match(/x-hatif|asterisk|freeswitch|sofia|^(?:server|user-agent):/im);
  expect(message, 'how drachtio-server is asked').not.to.match(/application\/sdp;|^route:/im);
  for (const port of enginePorts) expect(message, 'the port of the engine').not.to.contain(`:${port}`);
}
